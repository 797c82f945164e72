// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project_notes.h"

#include <QCoreApplication>
#include <nlohmann/json.hpp>
#include <string>

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

// The files of projects/ contain the same texts. tst_strings.py compares them.
[[maybe_unused]] constexpr const char* kNotes[] = {
    QT_TRANSLATE_NOOP(
        "ProjectNotes",
        "The network that read bank cheques in 1998, with today's activation and optimizer: two "
        "convolutional layers and three dense layers with few parameters."),
    QT_TRANSLATE_NOOP(
        "ProjectNotes",
        "The smallest possible network: one weight and one bias learn y = 2x from four points. "
        "Both start at zero, so you can follow the whole run with pencil and paper."),
    QT_TRANSLATE_NOOP("ProjectNotes",
                      "Recognizes handwritten digits. Convolutions find strokes, pooling reduces "
                      "the resolution, and a dense layer classifies the digit."),
    QT_TRANSLATE_NOOP(
        "ProjectNotes",
        "Uses Blocks: a group of layers is defined once and repeated. Each repetition adds a "
        "correction to its input, so that even a deep network trains well."),
    QT_TRANSLATE_NOOP("ProjectNotes",
                      "A very small network: each step takes microseconds, so the overhead of a "
                      "step becomes visible."),
    QT_TRANSLATE_NOOP("ProjectNotes",
                      "Has half as many hidden units as mnist-mlp: half the parameters and time, "
                      "almost the same accuracy."),
    QT_TRANSLATE_NOOP(
        "ProjectNotes",
        "A network without convolutions: every pixel is a separate input. Shows training, "
        "validation and evaluation, and the accuracy that one wide hidden layer can reach."),
    QT_TRANSLATE_NOOP("ProjectNotes",
                      "Generated data: the integers 0 to 19, where the class is the integer "
                      "itself. A hidden layer helps to map one input number to twenty classes."),
    QT_TRANSLATE_NOOP(
        "ProjectNotes",
        "A table: predicts the species of a penguin (one of three) from its island, its sex and "
        "four measurements. Missing measurements are replaced by the mean, text columns are "
        "one-hot encoded, and numbers are standardized with the training data."),
    QT_TRANSLATE_NOOP(
        "ProjectNotes",
        "Two Input layers and two outputs: predicts the species and the weight of a penguin from "
        "the size of its bill, its island and its sex. Each output has its own loss; weights in "
        "grams are large numbers, so their loss has the weight 0.001."),
    QT_TRANSLATE_NOOP(
        "ProjectNotes",
        "A folder of images with one subfolder per class: circles, squares and triangles of 16 by "
        "16 gray pixels. To use your own images, put them into subfolders like these."),
    QT_TRANSLATE_NOOP(
        "ProjectNotes",
        "Two replicas on the processor train side by side: each computes half of every "
        "batch, and both make the same update. The weights have the bits of one device "
        "that accumulates two micro-batches."),
    QT_TRANSLATE_NOOP(
        "ProjectNotes",
        "Four replicas of a larger network. shard_optimizer divides the state of Adam "
        "among them: each updates a quarter of the weights, and the bits stay the same."),
    QT_TRANSLATE_NOOP(
        "ProjectNotes",
        "Trains in several processes, also on several hosts: strata launch -np 2 train "
        "projects/multi-worker.json. Each process is a worker with a share of every "
        "batch."),
    QT_TRANSLATE_NOOP(
        "ProjectNotes",
        "Four workers compute gradients of successive batches at the same time, and a "
        "server updates the weights. A gradient is at most three updates old (staleness); "
        "with staleness 0 the workers share each batch."),
    QT_TRANSLATE_NOOP(
        "ProjectNotes",
        "The convolutions are on device 0, the dense layers on device 1. A layer without "
        "a device follows its input. Activations and their gradients go from device to "
        "device; the bits are those of one device."),
    QT_TRANSLATE_NOOP(
        "ProjectNotes",
        "The layers are divided between two devices by their memory. Each batch has four "
        "micro-batches: while device 1 computes one, device 0 computes the next one. The "
        "bits are those of one device that accumulates four micro-batches."),
};

}  // namespace

QString projectNotes(const nlohmann::ordered_json& document) {
  const auto notes = document.find("notes");
  if (notes == document.end() || !notes->is_string()) return {};
  const auto words = notes->get<std::string>();
  return words.empty() ? QString() : QCoreApplication::translate("ProjectNotes", words.c_str());
}

QString firstSentenceOfNotes(const nlohmann::ordered_json& document) {
  const QString all = projectNotes(document);
  for (qsizetype i = 0; i < all.size(); ++i) {
    if (all[i] == u'。' || (all[i] == u'.' && i + 1 < all.size() && all[i + 1] == u' '))
      return all.left(i + 1);
  }
  return all;
}

}  // namespace strata::ui
