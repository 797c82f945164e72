// SPDX-License-Identifier: Apache-2.0
// Tests that EarlyStopping and ReduceLROnPlateau make the same decisions as Keras 3.15 for the same
// values. Also tests which checkpoints are kept, and the errors that invalid callbacks cause.
#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/model/model.h"
#include "core/recipe/callbacks.h"
#include "core/train/callback_runner.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

// Each row contains the losses of the epochs of a run. Some losses are not finite.
const std::vector<std::vector<double>> kWatchedLosses{
    {1.0, 1.0, 0.9000499844551086, 0.8101450204849243, 0.8263478875160217, 0.8428748846054077,
     0.7585873603820801, 0.758487343788147, 0.6826386451721191, 0.6144247651100159,
     0.6144247651100159, 0.6267132759094238, 0.607961893081665, 0.5472157001495361},
    {1.0198999643325806, 0.9179099798202515, 0.8261690139770508, 0.8014839291572571,
     0.8014839291572571, 0.8175135850906372, 0.8339638710021973, 0.8506431579589844,
     0.7656288146972656, 0.7809414267539978, 0.7809414267539978, 0.7965602278709412,
     0.8124914765357971, 0.8287412524223328},
    {1.0000499486923218, 1.0001499652862549, 1.0002000331878662, 1.0003000497817993,
     1.0003000497817993, 0.970291018486023, 0.8733118772506714, 0.8733618855476379,
     0.873461902141571, 0.9607080817222595, 0.9607580900192261, 0.8646822571754456,
     0.8818759322166443, 0.8555196523666382},
    {0.9699000120162964, 0.9699000120162964, 1.066890001296997, 1.088277816772461,
     1.088377833366394, 1.1973155736923218, 1.2211618423461914, 1.2454851865768433,
     1.120936632156372, 1.120836615562439, 1.2329202890396118, 1.109728217124939,
     1.2207510471343994, 1.342726230621338},
    {0.9998999834060669, 1.0999900102615356, 0.989890992641449, 0.989890992641449,
     1.0096888542175293, 1.0096888542175293, 0.9794981479644775, 0.9501132369041443,
     0.9500132203102112, 0.9500132203102112, 0.9214128255844116, 0.9214628338813782,
     0.9214628338813782, 0.9215128421783447},
    {0.9998999834060669, 0.9998000264167786, 0.9698060154914856, 0.8728253841400146, NAN,
     0.9313046932220459, 0.8380742073059082, 0.8548356890678406, 0.8549357056617737,
     0.7694421410560608, 0.7694921493530273, 0.7695421576499939, 0.7850329875946045,
     0.7615320086479187},
    {1.0199999809265137, 1.020050048828125, 1.019950032234192, 1.0198500156402588,
     0.9177650213241577, 1.0094414949417114, 0.9084973335266113, 0.8176476359367371,
     0.8176476359367371, 0.7359828352928162, 0.7507025003433228, 0.6756322383880615,
     0.6891449093818665, 0.702927827835083},
    {1.0000499486923218, 0.9000449776649475, 0.8730936646461487, 0.8730936646461487,
     0.9605030417442322, 0.960552990436554, 0.9604530334472656, 0.8644077181816101,
     0.864307701587677, 0.8642076849937439, 0.8642076849937439, 0.8382814526557922,
     0.922209620475769, 1.0145305395126343},
    {1.0, 1.0199999809265137, 0.9894499778747559, 0.9894499778747559, 1.0884449481964111,
     0.9796504974365234, 0.9796504974365234, 1.077715516090393, 1.0993698835372925,
     1.0664887428283691, 1.0345441102981567, 1.0552849769592285, 1.0552849769592285,
     1.0763907432556152},
    {NAN, 1.066890001296997, 1.03493332862854, 1.0350333452224731, 1.1385365724563599,
     1.0247830152511597, 1.0248829126358032, 0.9941864609718323, 0.994086503982544,
     1.0935951471328735, 1.0935951471328735, 1.060787320137024, 1.0288636684417725,
     0.9980977177619934},
    {0.9699000120162964, 0.9893479943275452, 0.8903132081031799, 0.9794445037841797,
     1.0773890018463135, 1.185127854347229, 1.185127854347229, 1.185127854347229, 1.185227870941162,
     1.0666050910949707, 1.0665050745010376, 1.1731555461883545, 1.2904711961746216,
     1.251757025718689},
    {0.8999999761581421, 0.917900025844574, 1.0096900463104248, 1.0299338102340698,
     1.030033826828003, 0.9991827607154846, INFINITY, 0.9172497987747192, 1.0089747905731201,
     1.0291543006896973, 1.0291543006896973, 0.9982796311378479, 0.9982796311378479,
     0.9983296394348145},
    {0.9700499773025513, 0.9701499938964844, 0.9894530177116394, 0.9597694277763367,
     1.0558463335037231, 1.0558964014053345, 1.0769143104553223, 1.0984525680541992,
     1.1204216480255127, 1.1428800821304321, 1.0284920930862427, 0.9976872801780701,
     0.8979185819625854, 0.870980978012085},
    {1.0000499486923218, 1.1000549793243408, 1.1220561265945435, 1.1221060752868652,
     1.1445982456207275, 1.1445982456207275, 1.1674902439117432, 1.1324654817581177,
     1.1324654817581177, 1.0192689895629883, 1.01931893825531, 0.917387068271637,
     0.9174870252609253, 0.935886800289154},
    {1.020050048828125, 0.9895485043525696, 0.9895985126495361, 1.0092904567718506,
     1.029476284980774, 1.1324739456176758, 1.1325238943099976, 1.0984481573104858,
     1.0653947591781616, 0.9587552547454834, 0.9588552713394165, 0.8629697561264038,
     0.8629697561264038, 0.8371806740760803},
    {0.8999999761581421, 0.9901000261306763, 0.9604970216751099, 0.9315820932388306,
     0.9036346077919006, 0.9035346508026123, 0.8764286041259766, 0.8500357270240784,
     0.866936445236206, 0.866836428642273, 0.8409313559532166, 0.8409313559532166, 0.92512446641922,
     0.8327120542526245},
    {1.0198999643325806, 1.0198999643325806, 1.0199999809265137, 1.0404499769210815,
     1.0405000448226929, 0.9364500045776367, 0.9083564877510071, 0.8176208734512329,
     0.8176208734512329, 0.7931922078132629, 0.7692964673042297, 0.8463261127471924,
     0.8463261127471924, 0.8633026480674744},
    {1.0198999643325806, 1.1219899654388428, 1.0098910331726074, 0.9089018702507019,
     0.9089018702507019, 0.9089018702507019, 0.9997920989990234, 0.9997920989990234,
     1.0197879076004028, 0.9179091453552246, 0.826018214225769, 0.7435163855552673,
     0.758286714553833, 0.7583367228507996},
    {0.9700000286102295, 0.9894000291824341, 0.8904600143432617, 0.8904600143432617,
     0.8637462258338928, 0.8638461828231812, 0.8811231255531311, 0.881023108959198,
     0.8986436128616333, 0.8987435698509216, 0.8089691996574402, 0.7280722856521606,
     0.655315101146698, 0.6684213876724243},
    {1.0198999643325806, 0.9892029762268066, 0.8901826739311218, 0.9791009426116943,
     0.9985830187797546, 1.018654704093933, 1.1205201148986816, 1.087004542350769,
     1.0543943643569946, 1.0544943809509277, 0.949044942855835, 0.8541404604911804,
     0.9396544694900513, 0.9396544694900513},
    {0.8999999761581421, 0.9898999929428101, 1.0097980499267578, 1.029994010925293,
     1.1330933570861816, 1.019684076309204, 0.9890934824943542, 0.9889935255050659,
     0.8901941776275635, 0.8902941346168518, 0.9082000255584717, 0.8809540271759033,
     0.8809540271759033, 0.8809540271759033},
    {0.9000999927520752, 0.9000999927520752, 0.9002000093460083, 0.9182040095329285,
     0.8907078504562378, 0.8016371130943298, 0.8016371130943298, 0.7774879932403564,
     0.7930377125740051, 0.7930377125740051, 0.7931377291679382, 0.8724514842033386,
     0.7852563858032227, 0.8009614944458008},
    {1.1000499725341797, 1.1001499891281128, 1.2100650072097778, 1.1738630533218384,
     1.2912993431091309, 1.4204293489456177, 1.278436303138733, 1.4061800241470337,
     1.546847939491272, 1.5004925727844238, 1.5305523872375488, 1.3775471448898315,
     1.5153019428253174, 1.363771677017212},
    {0.8999999761581421, 0.9901000261306763, 0.8909900188446045, 0.891040027141571,
     0.8019359707832336, 0.8821796178817749, 0.9703975319862366, 0.9704975485801697,
     0.873347818851471, 0.786063015460968, 0.8017842769622803, 0.8820127248764038,
     0.7937114238739014, 0.7937114238739014},
};

struct StoppingRow {
  size_t sequence;
  const char* callback;
  // The epoch after which Keras stops, or 0 if it trains all epochs.
  int64_t endedAt;
  // The epoch whose weights Keras restores, or 0 if it restores none.
  int64_t restoredEpoch;
};
const std::vector<StoppingRow> kKerasStopping{
    {0,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "max", "min_delta": 0, "patience": 1, "baseline": null, "start_from_epoch": 4, "restore_best_weights": true})",
     7, 6},
    {1,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "max", "min_delta": 0, "patience": 3, "baseline": null, "start_from_epoch": 0, "restore_best_weights": true})",
     4, 1},
    {2,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "min", "min_delta": 0, "patience": 1, "baseline": null, "start_from_epoch": 2, "restore_best_weights": true})",
     4, 3},
    {3,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "max", "min_delta": 0, "patience": 0, "baseline": 0.9, "start_from_epoch": 0, "restore_best_weights": true})",
     2, 1},
    {4,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "min", "min_delta": 0, "patience": 3, "baseline": null, "start_from_epoch": 2, "restore_best_weights": true})",
     6, 3},
    {5,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "max", "min_delta": 0, "patience": 1, "baseline": null, "start_from_epoch": 0, "restore_best_weights": false})",
     2, 0},
    {6,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "min", "min_delta": 0.01, "patience": 3, "baseline": null, "start_from_epoch": 4, "restore_best_weights": false})",
     0, 0},
    {7,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "max", "min_delta": 0, "patience": 1, "baseline": null, "start_from_epoch": 0, "restore_best_weights": true})",
     2, 1},
    {8,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "max", "min_delta": 0.01, "patience": 1, "baseline": null, "start_from_epoch": 0, "restore_best_weights": false})",
     3, 0},
    {9,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "min", "min_delta": 0.0001, "patience": 3, "baseline": 0.9, "start_from_epoch": 0, "restore_best_weights": true})",
     // Keras takes the NaN of epoch 1 as the best value, and so stops after epoch 3
     4, 3},
    {10,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "max", "min_delta": 0.0001, "patience": 3, "baseline": null, "start_from_epoch": 0, "restore_best_weights": true})",
     9, 6},
    {11,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "max", "min_delta": 0.01, "patience": 0, "baseline": null, "start_from_epoch": 0, "restore_best_weights": true})",
     5, 4},
    {12,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "max", "min_delta": 0.0001, "patience": 0, "baseline": null, "start_from_epoch": 0, "restore_best_weights": false})",
     2, 0},
    {13,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "max", "min_delta": 0.01, "patience": 2, "baseline": null, "start_from_epoch": 4, "restore_best_weights": true})",
     9, 7},
    {14,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "min", "min_delta": 0.01, "patience": 3, "baseline": null, "start_from_epoch": 0, "restore_best_weights": true})",
     5, 2},
    {15,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "min", "min_delta": 0.01, "patience": 1, "baseline": null, "start_from_epoch": 2, "restore_best_weights": true})",
     6, 5},
    {16,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "max", "min_delta": 0, "patience": 2, "baseline": 0.9, "start_from_epoch": 0, "restore_best_weights": false})",
     7, 0},
    {17,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "max", "min_delta": 0, "patience": 0, "baseline": null, "start_from_epoch": 4, "restore_best_weights": true})",
     6, 5},
    {18,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "min", "min_delta": 0.01, "patience": 3, "baseline": null, "start_from_epoch": 0, "restore_best_weights": true})",
     8, 5},
    {19,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "max", "min_delta": 0.01, "patience": 2, "baseline": null, "start_from_epoch": 2, "restore_best_weights": false})",
     9, 0},
    {20,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "max", "min_delta": 0.0001, "patience": 1, "baseline": null, "start_from_epoch": 4, "restore_best_weights": true})",
     6, 5},
    {21,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "max", "min_delta": 0, "patience": 1, "baseline": null, "start_from_epoch": 0, "restore_best_weights": true})",
     2, 1},
    {22,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "max", "min_delta": 0, "patience": 3, "baseline": null, "start_from_epoch": 4, "restore_best_weights": true})",
     12, 9},
    {23,
     R"({"type": "EarlyStopping", "monitor": "loss", "mode": "min", "min_delta": 0, "patience": 0, "baseline": null, "start_from_epoch": 2, "restore_best_weights": true})",
     4, 3},
};

struct PlateauRow {
  size_t sequence;
  const char* callback;
  // The learning rate after each epoch. It starts at 0.01.
  std::vector<float> rates;
};
const std::vector<PlateauRow> kKerasPlateau{
    {0,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "max", "min_delta": 0, "patience": 2, "cooldown": 1, "factor": 0.3, "min_lr": 0.0})",
     {0.00999999978f, 0.00999999978f, 0.00300000003f, 0.00300000003f, 0.000899999985f,
      0.000899999985f, 0.00026999999f, 0.00026999999f, 8.09999983e-05f, 8.09999983e-05f,
      2.42999995e-05f, 2.42999995e-05f, 7.28999976e-06f, 7.28999976e-06f}},
    {1,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "min", "min_delta": 0.02, "patience": 3, "cooldown": 2, "factor": 0.5, "min_lr": 0.0})",
     {0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f,
      0.00999999978f, 0.00499999989f, 0.00499999989f, 0.00499999989f, 0.00499999989f,
      0.00499999989f, 0.00249999994f, 0.00249999994f, 0.00249999994f}},
    {2,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "max", "min_delta": 0.0001, "patience": 2, "cooldown": 0, "factor": 0.5, "min_lr": 0.004})",
     {0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00499999989f,
      0.00499999989f, 0.00400000019f, 0.00400000019f, 0.00400000019f, 0.00400000019f,
      0.00400000019f, 0.00400000019f, 0.00400000019f, 0.00400000019f}},
    {3,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "max", "min_delta": 0, "patience": 1, "cooldown": 0, "factor": 0.5, "min_lr": 0.0})",
     {0.00999999978f, 0.00499999989f, 0.00499999989f, 0.00499999989f, 0.00499999989f,
      0.00499999989f, 0.00499999989f, 0.00499999989f, 0.00249999994f, 0.00124999997f,
      0.000624999986f, 0.000312499993f, 0.000156249997f, 0.000156249997f}},
    {4,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "max", "min_delta": 0.0001, "patience": 3, "cooldown": 2, "factor": 0.5, "min_lr": 0.0})",
     {0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00499999989f,
      0.00499999989f, 0.00499999989f, 0.00499999989f, 0.00249999994f, 0.00249999994f,
      0.00249999994f, 0.00249999994f, 0.00124999997f, 0.00124999997f}},
    {5,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "min", "min_delta": 0, "patience": 3, "cooldown": 2, "factor": 0.3, "min_lr": 0.01})",
     {0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f,
      0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f,
      0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f}},
    {6,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "min", "min_delta": 0, "patience": 3, "cooldown": 2, "factor": 0.5, "min_lr": 0.0})",
     {0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f,
      0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f,
      0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f}},
    {7,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "min", "min_delta": 0, "patience": 1, "cooldown": 0, "factor": 0.3, "min_lr": 0.0})",
     {0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00300000003f, 0.000899999985f,
      0.00026999999f, 8.09999983e-05f, 8.09999983e-05f, 8.09999983e-05f, 8.09999983e-05f,
      2.42999995e-05f, 2.42999995e-05f, 7.28999976e-06f, 2.18699984e-06f}},
    {8,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "max", "min_delta": 0, "patience": 0, "cooldown": 0, "factor": 0.1, "min_lr": 0.0})",
     {0.00999999978f, 0.00999999978f, 0.000999999931f, 9.99999902e-05f, 9.99999902e-05f,
      9.99999884e-06f, 9.99999884e-07f, 9.9999987e-08f, 9.9999987e-08f, 9.99999905e-09f,
      9.99999861e-10f, 9.99999875e-11f, 9.99999909e-12f, 9.99999888e-13f}},
    {9,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "min", "min_delta": 0.02, "patience": 2, "cooldown": 0, "factor": 0.3, "min_lr": 0.004})",
     // Keras takes the NaN of epoch 1 as the best value, and so reduces the rate after epoch 3
     {0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00400000019f,
      0.00400000019f, 0.00400000019f, 0.00400000019f, 0.00400000019f, 0.00400000019f,
      0.00400000019f, 0.00400000019f, 0.00400000019f, 0.00400000019f}},
    {10,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "max", "min_delta": 0.02, "patience": 0, "cooldown": 0, "factor": 0.1, "min_lr": 0.004})",
     {0.00999999978f, 0.00400000019f, 0.00400000019f, 0.00400000019f, 0.00400000019f,
      0.00400000019f, 0.00400000019f, 0.00400000019f, 0.00400000019f, 0.00400000019f,
      0.00400000019f, 0.00400000019f, 0.00400000019f, 0.00400000019f}},
    {11,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "min", "min_delta": 0.0001, "patience": 2, "cooldown": 0, "factor": 0.3, "min_lr": 0.0})",
     {0.00999999978f, 0.00999999978f, 0.00300000003f, 0.00300000003f, 0.000899999985f,
      0.000899999985f, 0.00026999999f, 0.00026999999f, 8.09999983e-05f, 8.09999983e-05f,
      2.42999995e-05f, 2.42999995e-05f, 7.28999976e-06f, 7.28999976e-06f}},
    {12,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "min", "min_delta": 0.02, "patience": 2, "cooldown": 2, "factor": 0.5, "min_lr": 0.004})",
     {0.00999999978f, 0.00999999978f, 0.00499999989f, 0.00499999989f, 0.00499999989f,
      0.00400000019f, 0.00400000019f, 0.00400000019f, 0.00400000019f, 0.00400000019f,
      0.00400000019f, 0.00400000019f, 0.00400000019f, 0.00400000019f}},
    {13,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "min", "min_delta": 0.0001, "patience": 1, "cooldown": 0, "factor": 0.1, "min_lr": 0.01})",
     {0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f,
      0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f,
      0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f}},
    {14,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "max", "min_delta": 0, "patience": 0, "cooldown": 0, "factor": 0.5, "min_lr": 0.01})",
     {0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f,
      0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f,
      0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f}},
    {15,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "min", "min_delta": 0.0001, "patience": 1, "cooldown": 2, "factor": 0.5, "min_lr": 0.0})",
     {0.00999999978f, 0.00499999989f, 0.00499999989f, 0.00249999994f, 0.00249999994f,
      0.00124999997f, 0.00124999997f, 0.00124999997f, 0.000624999986f, 0.000624999986f,
      0.000624999986f, 0.000312499993f, 0.000312499993f, 0.000312499993f}},
    {16,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "max", "min_delta": 0, "patience": 2, "cooldown": 2, "factor": 0.5, "min_lr": 0.01})",
     {0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f,
      0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f,
      0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f}},
    {17,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "min", "min_delta": 0, "patience": 2, "cooldown": 0, "factor": 0.1, "min_lr": 0.01})",
     {0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f,
      0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f,
      0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f}},
    {18,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "min", "min_delta": 0.0001, "patience": 1, "cooldown": 0, "factor": 0.5, "min_lr": 0.0})",
     {0.00999999978f, 0.00499999989f, 0.00499999989f, 0.00249999994f, 0.00249999994f,
      0.00124999997f, 0.000624999986f, 0.000312499993f, 0.000156249997f, 7.81249983e-05f,
      7.81249983e-05f, 7.81249983e-05f, 7.81249983e-05f, 3.90624991e-05f}},
    {19,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "max", "min_delta": 0.0001, "patience": 0, "cooldown": 2, "factor": 0.3, "min_lr": 0.0})",
     {0.00999999978f, 0.00300000003f, 0.00300000003f, 0.000899999985f, 0.000899999985f,
      0.00026999999f, 0.00026999999f, 8.09999983e-05f, 8.09999983e-05f, 2.42999995e-05f,
      2.42999995e-05f, 7.28999976e-06f, 7.28999976e-06f, 2.18699984e-06f}},
    {20,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "min", "min_delta": 0.0001, "patience": 3, "cooldown": 0, "factor": 0.3, "min_lr": 0.0})",
     {0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00300000003f, 0.00300000003f,
      0.00300000003f, 0.000899999985f, 0.000899999985f, 0.000899999985f, 0.000899999985f,
      0.000899999985f, 0.000899999985f, 0.000899999985f, 0.000899999985f}},
    {21,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "max", "min_delta": 0, "patience": 1, "cooldown": 0, "factor": 0.3, "min_lr": 0.0})",
     {0.00999999978f, 0.00300000003f, 0.00300000003f, 0.00300000003f, 0.000899999985f,
      0.00026999999f, 8.09999983e-05f, 2.42999995e-05f, 7.28999976e-06f, 2.18699984e-06f,
      6.56099928e-07f, 1.96829973e-07f, 5.90489933e-08f, 1.77146973e-08f}},
    {22,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "max", "min_delta": 0, "patience": 0, "cooldown": 0, "factor": 0.5, "min_lr": 0.01})",
     {0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f,
      0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f,
      0.00999999978f, 0.00999999978f, 0.00999999978f, 0.00999999978f}},
    {23,
     R"({"type": "ReduceLROnPlateau", "monitor": "loss", "mode": "max", "min_delta": 0.02, "patience": 0, "cooldown": 0, "factor": 0.1, "min_lr": 0.004})",
     {0.00999999978f, 0.00999999978f, 0.00400000019f, 0.00400000019f, 0.00400000019f,
      0.00400000019f, 0.00400000019f, 0.00400000019f, 0.00400000019f, 0.00400000019f,
      0.00400000019f, 0.00400000019f, 0.00400000019f, 0.00400000019f}},
};

TrainingOptions optionsWith(const std::string& callback, Diagnostics& problems) {
  TrainingOptions options;
  readCallbacks(Json::array({parseJson(callback, "callback")}), options, problems);
  return options;
}

EpochMetrics epochWith(int64_t number, double loss) {
  EpochMetrics epoch;
  epoch.epoch = number;
  epoch.step = 10 * number;
  epoch.loss = loss;
  return epoch;
}

CallbackRunner runnerOf(const std::string& callback) {
  Diagnostics problems;
  const TrainingOptions options = optionsWith(callback, problems);
  REQUIRE_MESSAGE(problems.empty(), (problems.empty() ? "" : problems[0].line()));
  return CallbackRunner(options, {});
}

/// Returns a copy of the runner, restored from its saved text as in a resumed run.
CallbackRunner continued(const CallbackRunner& runner, const std::string& callback) {
  CallbackRunner other = runnerOf(callback);
  std::vector<std::string> warnings;
  other.restore(runner.text(), "test", warnings);
  CHECK(warnings.empty());
  return other;
}

/// Returns the first problem of a project as a line, or "".
std::string problemOf(const Project& project) {
  const Diagnostics diagnostics = validate(project);
  return diagnostics.empty() ? "" : diagnostics[0].line();
}

}  // namespace

TEST_SUITE("callbacks") {
  TEST_CASE(
      "EarlyStopping stops and restores as in Keras, also if the run is resumed after every "
      "epoch") {
    for (const bool isContinued : {false, true})
      for (const StoppingRow& row : kKerasStopping) {
        CAPTURE(row.callback);
        CallbackRunner runner = runnerOf(row.callback);
        int64_t ended = 0, snapshot = 0;
        const std::vector<double>& losses = kWatchedLosses[row.sequence];
        for (size_t i = 0; i < losses.size() && ended == 0; ++i) {
          const auto number = static_cast<int64_t>(i) + 1;
          const auto decision = runner.epochEnded(epochWith(number, losses[i]), 0.01);
          if (!decision.snapshots.empty()) snapshot = number;
          if (!decision.endedBy.empty()) ended = number;
          if (isContinued) runner = continued(runner, row.callback);
        }
        CHECK(ended == row.endedAt);
        CHECK(snapshot == row.restoredEpoch);
        const auto restoring = runner.restoring();
        CHECK((restoring.empty() ? 0 : restoring[0].epoch) == row.restoredEpoch);
      }
  }

  TEST_CASE("ReduceLROnPlateau has the learning rates of Keras") {
    for (const bool isContinued : {false, true})
      for (const PlateauRow& row : kKerasPlateau) {
        CAPTURE(row.callback);
        CallbackRunner runner = runnerOf(row.callback);
        double rate = 0.01;
        std::vector<float> rates;
        for (size_t i = 0; i < row.rates.size(); ++i) {
          const auto decision = runner.epochEnded(
              epochWith(static_cast<int64_t>(i) + 1, kWatchedLosses[row.sequence][i]), rate);
          if (decision.learningRate) rate = *decision.learningRate;
          rates.push_back(static_cast<float>(rate));
          if (isContinued) runner = continued(runner, row.callback);
        }
        CHECK(rates == row.rates);
      }
  }

  TEST_CASE("ModelCheckpoint keeps the newest and the best checkpoints") {
    CallbackRunner runner = runnerOf(
        R"({"type": "ModelCheckpoint", "monitor": "loss", "keep_last": 2, "keep_best": 1})");
    const std::vector<double> losses{3, 1, 2, 4, 5, 0.5, 6};
    const std::vector<std::vector<int64_t>> held{{10},         {10, 20}, {20, 30}, {20, 30, 40},
                                                 {20, 40, 50}, {50, 60}, {60, 70}};
    for (size_t i = 0; i < losses.size(); ++i) {
      const auto decision =
          runner.epochEnded(epochWith(static_cast<int64_t>(i) + 1, losses[i]), 0.01);
      CHECK(decision.saves);
      CHECK(decision.isBest == (i == 0 || i == 1 || i == 5));
      CHECK(runner.heldSteps() == held[i]);
    }
    runner = runnerOf(
        R"({"type": "ModelCheckpoint", "monitor": "loss", "save_best_only": true, "keep_last": null, "initial_value_threshold": 2.5})");
    for (size_t i = 0; i < losses.size(); ++i)
      CHECK(runner.epochEnded(epochWith(static_cast<int64_t>(i) + 1, losses[i]), 0.01).saves ==
            (i == 1 || i == 5));
    CHECK(runner.heldSteps() == std::vector<int64_t>{20, 60});
  }

  TEST_CASE("ModelCheckpoint may save by steps and by minutes") {
    CallbackRunner runner = runnerOf(
        R"({"type": "ModelCheckpoint", "save_freq": 4, "save_minutes": 2, "keep_last": 3})");
    std::vector<int64_t> saved;
    for (int64_t step = 1; step <= 14; ++step) {
      const double seconds = 20.0 * static_cast<double>(step);
      if (!runner.isDue(step, seconds)) continue;
      EpochMetrics means = epochWith(1, 1);
      means.step = step;
      if (runner.stepEnded(means, seconds).saves) saved.push_back(step);
    }
    CHECK(saved == std::vector<int64_t>{4, 6, 8, 12});
    CHECK(runner.heldSteps() == std::vector<int64_t>{6, 8, 12});
  }

  TEST_CASE("a checkpoint at the end of an epoch is ranked by the validation of that epoch") {
    CallbackRunner runner =
        runnerOf(R"({"type": "ModelCheckpoint", "save_freq": 10, "keep_last": 1, "keep_best": 1})");
    const std::vector<double> losses{1, 3, 2};
    for (size_t i = 0; i < losses.size(); ++i) {
      EpochMetrics epoch = epochWith(static_cast<int64_t>(i) + 1, losses[i]);
      REQUIRE(runner.isDue(epoch.step, 0));
      runner.stepEnded(epoch, 0);
      epoch.hasValidation = true;
      epoch.validationLoss = losses[i];
      runner.epochEnded(epoch, 0.01);
    }
    CHECK(runner.heldSteps() == std::vector<int64_t>{10, 30});
  }

  TEST_CASE("wrong callbacks of a project are reported") {
    const auto of = [](const char* list) {
      return problemOf(smallProjectWith({{"/training/callbacks", list}}));
    };
    CHECK(
        of(R"([{"type": "EarlyStopping"}, {"type": "ReduceLROnPlateau", "verbose": 1}, "TerminateOnNaN", {"type": "ModelCheckpoint", "save_freq": 10}])") ==
        "");
    CHECK(of(R"([{"type": "EarlyStoping"}])").find("Did you mean \"EarlyStopping\"") !=
          std::string::npos);
    CHECK(of(R"([{"type": "EarlyStopping", "patience": -1}])")
              .find("patience is out of range (expected at least 0, got -1)") != std::string::npos);
    CHECK(of(R"([{"type": "EarlyStopping", "patince": 1}])").find("Did you mean patience") !=
          std::string::npos);
    CHECK(of(R"([{"type": "EarlyStopping", "monitor": "val_acuracy"}])")
              .find("Did you mean \"val_accuracy\"") != std::string::npos);
    CHECK(of(R"([{"type": "EarlyStopping", "mode": "up"}])").find("mode") != std::string::npos);
    CHECK(of(R"([{"type": "ReduceLROnPlateau", "factor": 1.0}])")
              .find("factor is out of range (expected less than 1, got 1.0)") != std::string::npos);
    CHECK(
        of(R"([{"type": "ModelCheckpoint", "save_freq": "step"}])")
            .find(
                "save_freq has the wrong type (expected an integer or one of the allowed values") !=
        std::string::npos);
    CHECK(
        of(R"({"type": "EarlyStopping"})").find("callbacks has the wrong type (expected a list") !=
        std::string::npos);
    CHECK(of("[3]").find("a callback has the wrong type (expected a name") != std::string::npos);
    Project project = smallProjectWith({{"/training/callbacks", R"(["EarlyStopping"])"}});
    project.document()["data"]["validation_split"] = 0.0;
    CHECK(problemOf(project).find("monitors val_loss, but there are no validation samples") !=
          std::string::npos);
    project = smallProjectWith({{"/training/callbacks", R"(["ReduceLROnPlateau"])"}});
    project.document()["training"]["optimizer"]["learning_rate"] =
        Json{{"type", "ExponentialDecay"},
             {"initial_learning_rate", 0.1},
             {"decay_steps", 10},
             {"decay_rate", 0.5}};
    CHECK(problemOf(project).find("learning_rate is a schedule") != std::string::npos);
    project = smallProjectWith(
        {{"/training/callbacks", R"([{"type": "ReduceLROnPlateau", "monitor": "loss"}])"}});
    project.document()["training"]["stages"] = Json::parse(
        R"([{"epochs": 1}, {"learning_rate": {"type": "CosineDecay", "initial_learning_rate": 0.1, "decay_steps": 9}}])");
    CHECK(problemOf(project).find("/training/stages/1/learning_rate is a schedule") !=
          std::string::npos);
    project.document()["training"]["stages"][1]["learning_rate"] = 0.1;
    CHECK(problemOf(project) == "");
    project = smallProjectWith({{"/training/metrics", R"([{"type": "sum"}])"}});
    CHECK(problemOf(smallProjectWith({{"/training/metrics", R"(["acc", "mse"])"}}))
              .find("mean_squared_error compares values") != std::string::npos);
  }
}
