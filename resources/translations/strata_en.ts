<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US" sourcelanguage="en_US">
<context>
    <name>RunText</name>
    <message numerus="yes">
        <source>Accuracy %1 on %2 test sample(s), %3.</source>
        <translation>
            <numerusform>%1 on %2 new sample, %3.</numerusform>
            <numerusform>%1 on %2 new samples, %3.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Finished %1 step(s) in %2.</source>
        <translation>
            <numerusform>Finished %1 step in %2.</numerusform>
            <numerusform>Finished %1 steps in %2.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Loss %1 on %2 test sample(s), %3.</source>
        <translation>
            <numerusform>Loss %1 on %2 test sample, %3.</numerusform>
            <numerusform>Loss %1 on %2 test samples, %3.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Stopped at epoch %1: %2 did not improve for %3 epoch(s).</source>
        <translation>
            <numerusform>Stopped at epoch %1: %2 did not improve for %3 epoch.</numerusform>
            <numerusform>Stopped at epoch %1: %2 did not improve for %3 epochs.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln epoch(s)</source>
        <translation>
            <numerusform>%Ln epoch</numerusform>
            <numerusform>%Ln epochs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Finished %1 step(s) in %2, but the weights were not saved.</source>
        <translation>
            <numerusform>Finished %1 step in %2, but the weights were not saved.</numerusform>
            <numerusform>Finished %1 steps in %2, but the weights were not saved.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::BatchShare</name>
    <message numerus="yes">
        <source>%1, each in %n micro-batch(es)</source>
        <translation>
            <numerusform>%1, each in %n micro-batch</numerusform>
            <numerusform>%1, each in %n micro-batches</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::CleanDialog</name>
    <message numerus="yes">
        <source>%Ln run(s) of %1 go to the trash. This can be undone.</source>
        <translation>
            <numerusform>%Ln run of %1 goes to the trash. This can be undone.</numerusform>
            <numerusform>%Ln runs of %1 go to the trash. This can be undone.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %Ln run(s)</source>
        <translation>
            <numerusform>Delete %Ln run</numerusform>
            <numerusform>Delete %Ln runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::ColumnItemModel</name>
    <message numerus="yes">
        <source>%Ln word(s)</source>
        <translation>
            <numerusform>%Ln word</numerusform>
            <numerusform>%Ln words</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::ComparisonView</name>
    <message numerus="yes">
        <source>On the same %Ln test sample(s)</source>
        <translation>
            <numerusform>On the same %Ln test sample</numerusform>
            <numerusform>On the same %Ln test samples</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>On the same %Ln validation sample(s)</source>
        <translation>
            <numerusform>On the same %Ln validation sample</numerusform>
            <numerusform>On the same %Ln validation samples</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::ConfusionItemModel</name>
    <message numerus="yes">
        <source>%1 predicted as %2: %n time(s)</source>
        <translation>
            <numerusform>%1 predicted as %2: %n time</numerusform>
            <numerusform>%1 predicted as %2: %n times</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::Continuation</name>
    <message numerus="yes">
        <source>Train %Ln more epoch(s)</source>
        <translation>
            <numerusform>Train %Ln more epoch</numerusform>
            <numerusform>Train %Ln more epochs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::DataPage</name>
    <message numerus="yes">
        <source>%Ln class(es)</source>
        <translation>
            <numerusform>%Ln class</numerusform>
            <numerusform>%Ln classes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::DesignChanges</name>
    <message numerus="yes">
        <source>%n layer(s)</source>
        <translation>
            <numerusform>%n layer</numerusform>
            <numerusform>%n layers</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::DesignPage</name>
    <message numerus="yes">
        <source>%n layer(s)</source>
        <translation>
            <numerusform>%n layer</numerusform>
            <numerusform>%n layers</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::DeviceForecast</name>
    <message numerus="yes">
        <source>%1 operation(s) run twice to save memory</source>
        <translation>
            <numerusform>%1 operation runs twice to save memory</numerusform>
            <numerusform>%1 operations run twice to save memory</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n GPU(s)</source>
        <translation>
            <numerusform>%n GPU</numerusform>
            <numerusform>%n GPUs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>A step with the same batch on %n GPU(s):</source>
        <translation>
            <numerusform>A step with the same batch on %n GPU:</numerusform>
            <numerusform>A step with the same batch on %n GPUs:</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::DeviceText</name>
    <message numerus="yes">
        <source>CPU, %n replicas</source>
        <translation>
            <numerusform>CPU, %n replica</numerusform>
            <numerusform>CPU, %n replicas</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::DevicesLens</name>
    <message numerus="yes">
        <source>NVLink, %n links</source>
        <translation>
            <numerusform>NVLink, %n link</numerusform>
            <numerusform>NVLink, %n links</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n other pairs</source>
        <translation>
            <numerusform>and %n other pair</numerusform>
            <numerusform>and %n other pairs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n other program(s)</source>
        <translation>
            <numerusform>and %n other program</numerusform>
            <numerusform>and %n other programs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::Drawer</name>
    <message numerus="yes">
        <source>Training did not start: fix %n problem(s) first.</source>
        <translation>
            <numerusform>Training did not start: fix %n problem first.</numerusform>
            <numerusform>Training did not start: fix %n problems first.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::Fields</name>
    <message numerus="yes">
        <source>%n layer(s)</source>
        <translation>
            <numerusform>%n layer</numerusform>
            <numerusform>%n layers</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::FileDesk</name>
    <message numerus="yes">
        <source>There are unsaved changes in %1 and %n other project(s).</source>
        <translation>
            <numerusform>There are unsaved changes in %1 and %n other project.</numerusform>
            <numerusform>There are unsaved changes in %1 and %n other projects.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Save the project(s) to find the runs of %1 again.</source>
        <translation>
            <numerusform>Save the project to find the runs of %1 again.</numerusform>
            <numerusform>Save the projects to find the runs of %1 again.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n queued run(s) of the project will not start.</source>
        <translation>
            <numerusform>%n queued run of the project will not start.</numerusform>
            <numerusform>%n queued runs of the project will not start.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n queued run(s) will not start.</source>
        <translation>
            <numerusform>%n queued run will not start.</numerusform>
            <numerusform>%n queued runs will not start.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::FilesCard</name>
    <message numerus="yes">
        <source>%Ln prediction(s)</source>
        <translation>
            <numerusform>%Ln prediction</numerusform>
            <numerusform>%Ln predictions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s) could not be read</source>
        <translation>
            <numerusform>%Ln file could not be read</numerusform>
            <numerusform>%Ln files could not be read</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more file(s) left out</source>
        <translation>
            <numerusform>%Ln more file left out</numerusform>
            <numerusform>%Ln more files left out</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Measured with %Ln thread(s), without reading files.</source>
        <translation>
            <numerusform>Measured with %Ln thread, without reading files.</numerusform>
            <numerusform>Measured with %Ln threads, without reading files.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::FoldSection</name>
    <message numerus="yes">
        <source>%1: %n problem(s)</source>
        <translation>
            <numerusform>%1: %n problem</numerusform>
            <numerusform>%1: %n problems</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::Format</name>
    <message numerus="yes">
        <source>%1 parameter(s)</source>
        <translation>
            <numerusform>%1 parameter</numerusform>
            <numerusform>%1 parameters</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n min ago</source>
        <translation>
            <numerusform>%n min ago</numerusform>
            <numerusform>%n min ago</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n h ago</source>
        <translation>
            <numerusform>%n h ago</numerusform>
            <numerusform>%n h ago</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::LayerPictures</name>
    <message numerus="yes">
        <source>%n pictures</source>
        <translation>
            <numerusform>%n picture</numerusform>
            <numerusform>%n pictures</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::LayerTab</name>
    <message numerus="yes">
        <source>%n layers are selected; these are the fields of the first one.</source>
        <translation>
            <numerusform>%n layer is selected; these are its fields.</numerusform>
            <numerusform>%n layers are selected; these are the fields of the first one.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::LayersLens</name>
    <message numerus="yes">
        <source>Training samples: %1 and %n more</source>
        <translation>
            <numerusform>Training samples: %1 and %n more</numerusform>
            <numerusform>Training samples: %1 and %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n samples of the batch</source>
        <translation>
            <numerusform>%n sample of the batch</numerusform>
            <numerusform>%n samples of the batch</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Dashed: all %n units.</source>
        <translation>
            <numerusform>Dashed: all %n unit.</numerusform>
            <numerusform>Dashed: all %n units.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::MainWindow</name>
    <message numerus="yes">
        <source>New run, starting from %1&apos;s weights (%2 of %3 layer(s))</source>
        <translation>
            <numerusform>New run, starting from %1&apos;s weights (%2 of %3 layer)</numerusform>
            <numerusform>New run, starting from %1&apos;s weights (%2 of %3 layers)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::MemoryPanel</name>
    <message numerus="yes">
        <source>Recompute %1 operation(s)</source>
        <translation>
            <numerusform>Recompute %1 operation</numerusform>
            <numerusform>Recompute %1 operations</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::MistakesCard</name>
    <message numerus="yes">
        <source>%1 of %2 sample(s)</source>
        <translation>
            <numerusform>%1 of %2 sample</numerusform>
            <numerusform>%1 of %2 samples</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::ProblemList</name>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::QueueButton</name>
    <message numerus="yes">
        <source>%n run(s) waiting</source>
        <translation>
            <numerusform>%n run waiting</numerusform>
            <numerusform>%n runs waiting</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::RestoredNotice</name>
    <message numerus="yes">
        <source>Restored the unsaved changes of %1 from %2. %n other project(s) follow.</source>
        <translation>
            <numerusform>Restored the unsaved changes of %1 from %2. %n other project follows.</numerusform>
            <numerusform>Restored the unsaved changes of %1 from %2. %n other projects follow.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::ResultsPage</name>
    <message numerus="yes">
        <source>%Ln run(s) are in the trash.</source>
        <translation>
            <numerusform>%Ln run is in the trash.</numerusform>
            <numerusform>%Ln runs are in the trash.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::RunCard</name>
    <message numerus="yes">
        <source>Train %Ln more epoch(s)</source>
        <translation>
            <numerusform>Train %Ln more epoch</numerusform>
            <numerusform>Train %Ln more epochs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::RunEvaluator</name>
    <message numerus="yes">
        <source>%1 exported and verified: on %n sample(s) the outputs differ by at most %2.</source>
        <translation>
            <numerusform>%1 exported and verified: on %n sample the outputs differ by at most %2.</numerusform>
            <numerusform>%1 exported and verified: on %n samples the outputs differ by at most %2.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 exported and verified: identical outputs on %n sample(s).</source>
        <translation>
            <numerusform>%1 exported and verified: identical outputs on %n sample.</numerusform>
            <numerusform>%1 exported and verified: identical outputs on %n samples.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::Runs</name>
    <message numerus="yes">
        <source>%1 was closed, so %n queued run(s) will not start</source>
        <translation>
            <numerusform>%1 was closed, so %n queued run will not start</numerusform>
            <numerusform>%1 was closed, so %n queued runs will not start</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::RunsView</name>
    <message numerus="yes">
        <source>%Ln run(s), %1</source>
        <translation>
            <numerusform>%Ln run, %1</numerusform>
            <numerusform>%Ln runs, %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln setting(s) that differ</source>
        <translation>
            <numerusform>%Ln setting that differs</numerusform>
            <numerusform>%Ln settings that differ</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::SampleCard</name>
    <message numerus="yes">
        <source>%Ln sample(s).</source>
        <translation>
            <numerusform>%Ln sample.</numerusform>
            <numerusform>%Ln samples.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::ScalingCard</name>
    <message numerus="yes">
        <source>up to %n devices</source>
        <translation>
            <numerusform>up to %n device</numerusform>
            <numerusform>up to %n devices</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::ScoresCard</name>
    <message numerus="yes">
        <source>%1 sample(s)</source>
        <translation>
            <numerusform>%1 sample</numerusform>
            <numerusform>%1 samples</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::StatusRow</name>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <translation>
            <numerusform>%n problem</numerusform>
            <numerusform>%n problems</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hint(s)</source>
        <translation>
            <numerusform>%n hint</numerusform>
            <numerusform>%n hints</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::Strip</name>
    <message numerus="yes">
        <source>The network cannot be trained yet: %n problem(s).</source>
        <translation>
            <numerusform>The network cannot be trained yet: %n problem.</numerusform>
            <numerusform>The network cannot be trained yet: %n problems.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::TableCard</name>
    <message numerus="yes">
        <source>%Ln row(s)</source>
        <translation>
            <numerusform>%Ln row</numerusform>
            <numerusform>%Ln rows</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln column(s)</source>
        <translation>
            <numerusform>%Ln column</numerusform>
            <numerusform>%Ln columns</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln row(s) have a different number of cells.</source>
        <translation>
            <numerusform>%Ln row has a different number of cells.</numerusform>
            <numerusform>%Ln rows have a different number of cells.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::TimelineCard</name>
    <message numerus="yes">
        <source>%n steps</source>
        <translation>
            <numerusform>%n step</numerusform>
            <numerusform>%n steps</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::TopBar</name>
    <message numerus="yes">
        <source>CPU, %n core(s)</source>
        <translation>
            <numerusform>CPU, %n core</numerusform>
            <numerusform>CPU, %n cores</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, %n thread(s)</source>
        <translation>
            <numerusform>%1, %n thread</numerusform>
            <numerusform>%1, %n threads</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Train %Ln more epoch(s)</source>
        <translation>
            <numerusform>Train %Ln more epoch</numerusform>
            <numerusform>Train %Ln more epochs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::ValuesCard</name>
    <message numerus="yes">
        <source>%1 of %2 validation sample(s)</source>
        <translation>
            <numerusform>%1 of %2 validation sample</numerusform>
            <numerusform>%1 of %2 validation samples</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 validation sample(s)</source>
        <translation>
            <numerusform>%1 validation sample</numerusform>
            <numerusform>%1 validation samples</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %2 test sample(s)</source>
        <translation>
            <numerusform>%1 of %2 test sample</numerusform>
            <numerusform>%1 of %2 test samples</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 test sample(s)</source>
        <translation>
            <numerusform>%1 test sample</numerusform>
            <numerusform>%1 test samples</numerusform>
        </translation>
    </message>
</context>
</TS>
