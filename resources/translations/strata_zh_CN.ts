<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en_US">
<context>
    <name>Balance</name>
    <message>
        <source>%1 is %2 slower than the others, which wait for it.</source>
        <translation>%1 比其他设备慢 %2，其他设备在等待它。</translation>
    </message>
    <message>
        <source>%1 needs %2 more memory than %3.</source>
        <translation>%1 比 %3 多需要 %2 的内存。</translation>
    </message>
    <message>
        <source>The devices wait for each other during %1 of a step.</source>
        <translation>各设备在一步的 %1 时间里互相等待。</translation>
    </message>
</context>
<context>
    <name>Category</name>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活值</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Temporary</source>
        <translation>临时数据</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>Communication</source>
        <translation>通信</translation>
    </message>
</context>
<context>
    <name>Curves</name>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>This run has no learning rate.</source>
        <translation>此次运行没有学习率。</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐量</translation>
    </message>
    <message>
        <source>samples/s</source>
        <translation>样本/秒</translation>
    </message>
    <message>
        <source>The throughput is unknown, because the run was too short.</source>
        <translation>吞吐量未知，因为运行时间太短。</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>norm</source>
        <translation>范数</translation>
    </message>
    <message>
        <source>The gradient norm is unknown, because this run did not measure it.</source>
        <translation>梯度范数未知，因为此次运行没有测量它。</translation>
    </message>
    <message>
        <source>Waiting for data</source>
        <translation>等待数据</translation>
    </message>
    <message>
        <source>per step</source>
        <translation>每步</translation>
    </message>
    <message>
        <source>The waiting time is unknown, because this run did not measure it.</source>
        <translation>等待时间未知，因为此次运行没有测量它。</translation>
    </message>
    <message>
        <source>Waiting for other devices</source>
        <translation>等待其他设备</translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation>损失缩放</translation>
    </message>
    <message>
        <source>scale</source>
        <translation>缩放</translation>
    </message>
    <message>
        <source>The loss scale is unknown, because this run did not record it.</source>
        <translation>损失缩放未知，因为此次运行没有记录它。</translation>
    </message>
    <message>
        <source>This run recorded no values of this series.</source>
        <translation>此次运行没有记录这个序列的值。</translation>
    </message>
</context>
<context>
    <name>Data</name>
    <message>
        <source>Source</source>
        <translation>数据源</translation>
    </message>
    <message>
        <source>Where the samples come from</source>
        <translation>样本的来源</translation>
    </message>
    <message>
        <source>Transforms</source>
        <translation>变换</translation>
    </message>
    <message>
        <source>Steps applied to each sample, in this order, before it enters the network</source>
        <translation>每个样本进入网络之前依次经过的处理步骤</translation>
    </message>
</context>
<context>
    <name>Edit</name>
    <message>
        <source>Revert design to %1</source>
        <translation>将设计恢复为%1</translation>
    </message>
    <message>
        <source>Use settings of What if</source>
        <translation>采用“假设分析”的设置</translation>
    </message>
</context>
<context>
    <name>FileDialog</name>
    <message>
        <source>Choose the table</source>
        <translation>选择表格</translation>
    </message>
    <message>
        <source>Tables (*.csv *.tsv *.txt)</source>
        <translation>表格 (*.csv *.tsv *.txt)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Choose a recording</source>
        <translation>选择记录</translation>
    </message>
</context>
<context>
    <name>Lens</name>
    <message>
        <source>Overview</source>
        <translation>概览</translation>
    </message>
    <message>
        <source>Loss, accuracy, memory and time appear here when a run starts.</source>
        <translation>运行开始后，这里会显示损失、准确率、内存和时间。</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>The states of the devices appear here when a run trains.</source>
        <translation>运行开始训练后，这里会显示设备的状态。</translation>
    </message>
    <message>
        <source>Memory of this process</source>
        <translation>本进程的内存</translation>
    </message>
    <message>
        <source>Memory of other processes</source>
        <translation>其他进程的内存</translation>
    </message>
    <message>
        <source>Utilization</source>
        <translation>利用率</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>功率</translation>
    </message>
    <message>
        <source>Clock</source>
        <translation>时钟频率</translation>
    </message>
    <message>
        <source>Memory clock</source>
        <translation>内存频率</translation>
    </message>
    <message>
        <source>Curves</source>
        <translation>曲线</translation>
    </message>
    <message>
        <source>Curves appear here when a run trains.</source>
        <translation>运行训练时，曲线显示在这里。</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Memory appears here when a run trains.</source>
        <translation>运行训练时，内存显示在这里。</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>The times of steps and kernels appear here when a run trains.</source>
        <translation>运行训练时，步和内核的时间显示在这里。</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>The statistics of layers appear here when a run trains.</source>
        <translation>运行训练时，各层的统计显示在这里。</translation>
    </message>
</context>
<context>
    <name>Plan</name>
    <message>
        <source>The times may be much too long: another program was busy while they were measured.</source>
        <translation>这些时间可能明显偏长：测量期间有其他程序占用机器。</translation>
    </message>
</context>
<context>
    <name>ProjectNotes</name>
    <message>
        <source>Uses Blocks: a group of layers is defined once and repeated. Each repetition adds a correction to its input, so that even a deep network trains well.</source>
        <translation>使用 Block：一组层只需定义一次即可重复多次。每次重复都在其输入上加一个修正量，因此很深的网络也能很好地训练。</translation>
    </message>
    <message>
        <source>The network that read bank cheques in 1998, with today&apos;s activation and optimizer: two convolutional layers and three dense layers with few parameters.</source>
        <translation>1998 年用于识别银行支票的网络，换用了现在的激活函数和优化器：两个卷积层和三个全连接层，参数很少。</translation>
    </message>
    <message>
        <source>The smallest possible network: one weight and one bias learn y = 2x from four points. Both start at zero, so you can follow the whole run with pencil and paper.</source>
        <translation>最小的网络：一个权重和一个偏置从四个点学习 y = 2x。两者的初始值都为零，整个运行可以用纸笔逐步验算。</translation>
    </message>
    <message>
        <source>Recognizes handwritten digits. Convolutions find strokes, pooling reduces the resolution, and a dense layer classifies the digit.</source>
        <translation>识别手写数字。卷积层提取笔画，池化层降低分辨率，全连接层完成分类。</translation>
    </message>
    <message>
        <source>A very small network: each step takes microseconds, so the overhead of a step becomes visible.</source>
        <translation>很小的网络：每一步只需几微秒，便于观察每一步的额外开销。</translation>
    </message>
    <message>
        <source>Has half as many hidden units as mnist-mlp: half the parameters and time, almost the same accuracy.</source>
        <translation>隐藏单元数是 mnist-mlp 的一半：参数量和时间减半，准确率几乎相同。</translation>
    </message>
    <message>
        <source>A network without convolutions: every pixel is a separate input. Shows training, validation and evaluation, and the accuracy that one wide hidden layer can reach.</source>
        <translation>没有卷积的网络：每个像素都是一个独立的输入。演示训练、验证和评估，并展示一个较宽的隐藏层能达到的准确率。</translation>
    </message>
    <message>
        <source>Generated data: the integers 0 to 19, where the class is the integer itself. A hidden layer helps to map one input number to twenty classes.</source>
        <translation>生成的数据：0 到 19 的整数，类别就是整数本身。隐藏层有助于把单个输入数字对应到二十个类别。</translation>
    </message>
    <message>
        <source>A table: predicts the species of a penguin (one of three) from its island, its sex and four measurements. Missing measurements are replaced by the mean, text columns are one-hot encoded, and numbers are standardized with the training data.</source>
        <translation>表格数据：根据企鹅所在的岛屿、性别和四项测量值，预测它属于三个物种中的哪一个。缺失的测量值用平均值填充，文本列进行 one-hot 编码，数值按训练数据标准化。</translation>
    </message>
    <message>
        <source>A folder of images with one subfolder per class: circles, squares and triangles of 16 by 16 gray pixels. To use your own images, put them into subfolders like these.</source>
        <translation>图像文件夹，每个类别一个子文件夹：16×16 像素的灰度圆形、正方形和三角形。要使用自己的图像，按同样的方式放入子文件夹即可。</translation>
    </message>
    <message>
        <source>Two Input layers and two outputs: predicts the species and the weight of a penguin from the size of its bill, its island and its sex. Each output has its own loss; weights in grams are large numbers, so their loss has the weight 0.001.</source>
        <translation>两个 Input 层和两个输出：根据喙的尺寸、所在岛屿和性别，预测企鹅的物种和体重。每个输出都有自己的损失；以克为单位的体重数值很大，因此其损失的权重为 0.001。</translation>
    </message>
    <message>
        <source>Two replicas on the processor train side by side: each computes half of every batch, and both make the same update. The weights have the bits of one device that accumulates two micro-batches.</source>
        <translation>两个副本在处理器上并行训练：每个副本计算每个批次的一半，并进行相同的更新。权重与一个设备累积两个微批次时逐位相同。</translation>
    </message>
    <message>
        <source>Four replicas of a larger network. shard_optimizer divides the state of Adam among them: each updates a quarter of the weights, and the bits stay the same.</source>
        <translation>较大网络的四个副本。shard_optimizer 将 Adam 的状态分摊给它们：每个副本更新四分之一的权重，结果仍逐位相同。</translation>
    </message>
    <message>
        <source>Trains in several processes, also on several hosts: strata launch -np 2 train projects/multi-worker.json. Each process is a worker with a share of every batch.</source>
        <translation>在多个进程中训练，也可分布在多台主机上：strata launch -np 2 train projects/multi-worker.json。每个进程是一个工作者，分担每个批次的一份。</translation>
    </message>
    <message>
        <source>Four workers compute gradients of successive batches at the same time, and a server updates the weights. A gradient is at most three updates old (staleness); with staleness 0 the workers share each batch.</source>
        <translation>四个工作者同时计算相继批次的梯度，由一个服务器更新权重。梯度最多落后三次更新（staleness）；staleness 为 0 时，各工作者分担每个批次。</translation>
    </message>
    <message>
        <source>The convolutions are on device 0, the dense layers on device 1. A layer without a device follows its input. Activations and their gradients go from device to device; the bits are those of one device.</source>
        <translation>卷积层位于设备 0，全连接层位于设备 1。未指定设备的层跟随其输入。激活值及其梯度在设备之间传递；结果与一个设备逐位相同。</translation>
    </message>
    <message>
        <source>The layers are divided between two devices by their memory. Each batch has four micro-batches: while device 1 computes one, device 0 computes the next one. The bits are those of one device that accumulates four micro-batches.</source>
        <translation>按内存将各层划分到两个设备。每个批次有四个微批次：设备 1 计算一个微批次时，设备 0 计算下一个。结果与一个设备累积四个微批次时逐位相同。</translation>
    </message>
</context>
<context>
    <name>RunAxis</name>
    <message>
        <source>Epoch</source>
        <translation>轮次</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Training time</source>
        <translation>训练时间</translation>
    </message>
</context>
<context>
    <name>RunItemModel</name>
    <message>
        <source>running</source>
        <translation>正在运行</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>stopped after step %1</source>
        <translation>在第 %1 步停止</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>interrupted after step %1</source>
        <translation>在第 %1 步中断</translation>
    </message>
</context>
<context>
    <name>RunTableModel</name>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>RunText</name>
    <message>
        <source>The run failed.</source>
        <translation>运行失败。</translation>
    </message>
    <message>
        <source>Interrupted after step %1. Click Continue to resume from the last checkpoint.</source>
        <translation>在第 %1 步中断。点击“继续”可从最近的检查点恢复训练。</translation>
    </message>
    <message numerus="yes">
        <source>Finished %1 step(s) in %2.</source>
        <translation>
            <numerusform>完成 %1 步，用时 %2。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Accuracy %1 on %2 test sample(s), %3.</source>
        <translation>
            <numerusform>在 %2 个测试样本上的准确率为 %1，用时 %3。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Loss %1 on %2 test sample(s), %3.</source>
        <translation>
            <numerusform>在 %2 个测试样本上的损失为 %1，用时 %3。</numerusform>
        </translation>
    </message>
    <message>
        <source>Run %1</source>
        <translation>运行 %1</translation>
    </message>
    <message>
        <source>Preparing the run</source>
        <translation>正在准备运行</translation>
    </message>
    <message>
        <source>%1 continued at step %2</source>
        <translation>%1 从第 %2 步继续</translation>
    </message>
    <message>
        <source>%1 is training</source>
        <translation>%1 正在训练</translation>
    </message>
    <message>
        <source>%1, starting from %2&apos;s weights</source>
        <translation>%1，从%2 的权重开始</translation>
    </message>
    <message>
        <source>%1, starting from the weights in %2</source>
        <translation>%1，从 %2 中的权重开始</translation>
    </message>
    <message numerus="yes">
        <source>Stopped at epoch %1: %2 did not improve for %3 epoch(s).</source>
        <translation>
            <numerusform>在第 %1 轮停止：%2 连续 %3 轮没有改善。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 stopped the run at epoch %2.</source>
        <translation>%1 在第 %2 轮停止了运行。</translation>
    </message>
    <message>
        <source>The weights of epoch %1 are kept, the best by %2.</source>
        <translation>保留第 %1 轮的权重，按 %2 最佳。</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1%2</translation>
    </message>
    <message>
        <source>Tried again at %1: the disk is still full. Training is paused at step %2.</source>
        <translation>已于 %1 重试：磁盘仍然已满。训练在第 %2 步暂停。</translation>
    </message>
    <message>
        <source>Tried again at %1: a file still cannot be written. Training is paused at step %2.</source>
        <translation>已于 %1 重试：文件仍然无法写入。训练在第 %2 步暂停。</translation>
    </message>
    <message>
        <source>The disk is full. Training is paused at step %1.</source>
        <translation>磁盘已满。训练在第 %1 步暂停。</translation>
    </message>
    <message>
        <source>A file cannot be written. Training is paused at step %1.</source>
        <translation>有文件无法写入。训练在第 %1 步暂停。</translation>
    </message>
    <message>
        <source>The weights of epoch %1 are kept.</source>
        <translation>保留第 %1 轮的权重。</translation>
    </message>
    <message>
        <source>Training has ended at step %1, but the disk is full. Free some space and retry, or choose another folder. Otherwise the last state is lost.</source>
        <translation>训练已在第 %1 步结束，但磁盘已满。请腾出空间后重试，或选择其他文件夹，否则最后的状态会丢失。</translation>
    </message>
    <message>
        <source>Training has ended at step %1, but a file cannot be written. Retry, or choose another folder. Otherwise the last state is lost.</source>
        <translation>训练已在第 %1 步结束，但有文件无法写入。请重试，或选择其他文件夹，否则最后的状态会丢失。</translation>
    </message>
    <message>
        <source>%1 %2 from step %3</source>
        <translation>%1 %2，从第 %3 步起</translation>
    </message>
    <message>
        <source>%1 %2 from step %3 (%4)</source>
        <translation>%1 %2，从第 %3 步起（%4）</translation>
    </message>
    <message>
        <source>Stage %1 from step %2: %3</source>
        <translation>阶段 %1，从第 %2 步起：%3</translation>
    </message>
    <message>
        <source>Checkpoint of step %1</source>
        <translation>第 %1 步的检查点</translation>
    </message>
    <message>
        <source>Best weights so far, step %1: %2 %3</source>
        <translation>目前最佳权重，第 %1 步：%2 %3</translation>
    </message>
    <message>
        <source>Continued after step %1</source>
        <translation>在第 %1 步之后继续</translation>
    </message>
    <message>
        <source>Recording: %1</source>
        <translation>记录：%1</translation>
    </message>
    <message>
        <source>Recording: %1, %2</source>
        <translation>记录：%1，%2</translation>
    </message>
    <message>
        <source>%1, batch %2, %3 %4</source>
        <translation>%1，批大小 %2，%3 %4</translation>
    </message>
    <message numerus="yes">
        <source>%Ln epoch(s)</source>
        <translation>
            <numerusform>%Ln 轮</numerusform>
        </translation>
    </message>
    <message>
        <source>The training step does not fit in memory: it needs %1 (predicted), but the limit is %2.</source>
        <translation>训练步超出内存：需要 %1（预测），但上限为 %2。</translation>
    </message>
    <message>
        <source>%1 J</source>
        <translation>%1 J</translation>
    </message>
    <message>
        <source>%1 kJ</source>
        <translation>%1 kJ</translation>
    </message>
    <message>
        <source>%1 MJ</source>
        <translation>%1 MJ</translation>
    </message>
    <message>
        <source>unknown, because %1</source>
        <translation>未知，因为%1</translation>
    </message>
    <message>
        <source>%1, %2 per sample</source>
        <translation>%1，每样本 %2</translation>
    </message>
    <message numerus="yes">
        <source>Finished %1 step(s) in %2, but the weights were not saved.</source>
        <translation>
            <numerusform>用时 %2 完成了 %1 步，但权重没有保存。</numerusform>
        </translation>
    </message>
    <message>
        <source>Stopped after step %1 (%2). The weights were saved.</source>
        <translation>在第 %1 步之后停止（%2）。权重已保存。</translation>
    </message>
    <message>
        <source>Epoch %1/%2</source>
        <translation>第 %1/%2 轮</translation>
    </message>
    <message>
        <source>Step %1/%2</source>
        <translation>第 %1/%2 步</translation>
    </message>
    <message>
        <source>%1 elapsed</source>
        <translation>已用 %1</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>剩余 %1</translation>
    </message>
    <message>
        <source>Simulation speed %1 samples/s</source>
        <translation>模拟速度 %1 样本/秒</translation>
    </message>
    <message>
        <source>%1 samples/s</source>
        <translation>%1 样本/秒</translation>
    </message>
    <message>
        <source>waiting for data</source>
        <translation>等待数据</translation>
    </message>
    <message>
        <source>copies</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>update</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>communication</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>other work of the host</source>
        <translation>主机的其他工作</translation>
    </message>
    <message>
        <source>Profiling overhead %1</source>
        <translation>性能分析开销 %1</translation>
    </message>
    <message>
        <source>Profiling overhead not measured yet</source>
        <translation>性能分析开销尚未测量</translation>
    </message>
</context>
<context>
    <name>SampleCells</name>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>StepAdvice</name>
    <message>
        <source>Waiting for data is %1 of a step, with %2 loader threads. Use %3 more.</source>
        <translation>等待数据占一步的 %1，加载线程为 %2 个。请再增加 %3 个。</translation>
    </message>
    <message>
        <source>Waiting for data is %1 of a step, although %2 threads load it on %3 cores. Store samples that need no decoding, such as npy files, or smaller images.</source>
        <translation>等待数据占一步的 %1，尽管有 %2 个线程在 %3 个核上加载。请保存无需解码的样本（如 npy 文件），或使用更小的图像。</translation>
    </message>
    <message>
        <source>%2 short kernels take %1 of the time of all kernels, and mostly wait for their start. A larger batch makes them longer.</source>
        <translation>%2 个短内核占所有内核时间的 %1，大部分时间在等待启动。更大的批会使它们变长。</translation>
    </message>
    <message>
        <source>Kernels that the memory of the card limits take %1 of the time. bfloat16 halves the bytes of activations.</source>
        <translation>受显卡内存限制的内核占 %1 的时间。bfloat16 可使激活的字节数减半。</translation>
    </message>
    <message>
        <source>The kernel %2 of %3 takes %1 of the time and fills %4 of the card. A larger batch fills more.</source>
        <translation>%3 的内核 %2 占 %1 的时间，只用满显卡的 %4。更大的批能用得更满。</translation>
    </message>
    <message>
        <source>Copies to the device and back are %1 of a step. A larger batch needs fewer of them.</source>
        <translation>设备间的往返复制占一步的 %1。更大的批需要的复制更少。</translation>
    </message>
    <message>
        <source>Communication that computing does not hide is %1 of a step. With a larger batch, the devices communicate less often.</source>
        <translation>未被计算掩盖的通信占一步的 %1。批更大时，设备通信更少。</translation>
    </message>
    <message>
        <source>Work between the steps is %1 of a step. With a larger batch, there are fewer steps.</source>
        <translation>步与步之间的工作占一步的 %1。批更大时，步数更少。</translation>
    </message>
    <message>
        <source>Profiling takes %1 of the time. Stop it when you have seen enough.</source>
        <translation>性能分析占 %1 的时间。看够后请停止。</translation>
    </message>
</context>
<context>
    <name>TimeAxis</name>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>%1 µs</source>
        <translation>%1 µs</translation>
    </message>
    <message>
        <source>%1 ns</source>
        <translation>%1 ns</translation>
    </message>
</context>
<context>
    <name>TraceNote</name>
    <message>
        <source>The file ends early (%2). The program that wrote it was probably stopped. The events up to there are shown.</source>
        <translation>文件提前结束（%2）。写入它的程序可能被中止了。显示在此之前的事件。</translation>
    </message>
    <message>
        <source>Events of unknown kinds that are not shown: %1 (the first one: %2)</source>
        <translation>未显示的未知类型事件：%1（第一个：%2）</translation>
    </message>
    <message>
        <source>Events with missing or invalid members that are not shown: %1 (the first one: %2)</source>
        <translation>未显示的成员缺失或无效的事件：%1（第一个：%2）</translation>
    </message>
    <message>
        <source>Begins without an end, or ends without a begin: %1 (the first one: %2)</source>
        <translation>有开始无结束，或有结束无开始：%1（第一个：%2）</translation>
    </message>
    <message>
        <source>Events more than 39 hours from the others that are not shown: %1 (the first one: %2)</source>
        <translation>与其他事件相差超过 39 小时而未显示的事件：%1（第一个：%2）</translation>
    </message>
    <message>
        <source>Parts of the trace that are not shown, because it is too large: %1 (the first one: %2)</source>
        <translation>因跟踪过大而未显示的部分：%1（第一个：%2）</translation>
    </message>
    <message>
        <source>Recorded steps whose kernels are unknown: %1 (the first one: %2)</source>
        <translation>内核未知的已记录步：%1（第一个：%2）</translation>
    </message>
</context>
<context>
    <name>activation</name>
    <message>
        <source>Dimension along which values sum to 1; 0 is the batch, -1 the last dimension</source>
        <translation>沿此维度归一化，使各值之和为 1；0 为批维度，-1 为最后一维</translation>
    </message>
    <message>
        <source>No activation</source>
        <translation>无激活函数</translation>
    </message>
    <message>
        <source>Rectified linear unit: negative values become zero</source>
        <translation>修正线性单元：负值变为零</translation>
    </message>
    <message>
        <source>Rectified linear unit limited to 6</source>
        <translation>上限为 6 的修正线性单元</translation>
    </message>
    <message>
        <source>Rectified linear unit with a small slope for negative values</source>
        <translation>带泄漏的修正线性单元：负值保留较小的斜率</translation>
    </message>
    <message>
        <source>Slope for negative values</source>
        <translation>负值部分的斜率</translation>
    </message>
    <message>
        <source>Exponential linear unit</source>
        <translation>指数线性单元</translation>
    </message>
    <message>
        <source>Scale for negative values: y approaches -alpha</source>
        <translation>负值部分的缩放系数：y 趋近于 -alpha</translation>
    </message>
    <message>
        <source>Scaled exponential linear unit, which keeps mean 0 and variance 1</source>
        <translation>缩放指数线性单元，使激活值保持均值 0 和方差 1</translation>
    </message>
    <message>
        <source>Gaussian error linear unit: x times the normal cumulative distribution at x</source>
        <translation>高斯误差线性单元：x 乘以标准正态分布在 x 处的累积概率</translation>
    </message>
    <message>
        <source>Hyperbolic tangent, between -1 and 1</source>
        <translation>双曲正切，值在 -1 与 1 之间</translation>
    </message>
    <message>
        <source>Logistic function, between 0 and 1</source>
        <translation>Logistic 函数，值在 0 与 1 之间</translation>
    </message>
    <message>
        <source>Piecewise linear approximation of sigmoid</source>
        <translation>sigmoid 的分段线性近似</translation>
    </message>
    <message>
        <source>x times its sigmoid (swish)</source>
        <translation>x 乘以自身的 sigmoid（swish）</translation>
    </message>
    <message>
        <source>Alias of silu</source>
        <translation>silu 的别名</translation>
    </message>
    <message>
        <source>Piecewise linear approximation of silu</source>
        <translation>silu 的分段线性近似</translation>
    </message>
    <message>
        <source>Alias of hard_silu</source>
        <translation>hard_silu 的别名</translation>
    </message>
    <message>
        <source>x times the tanh of its softplus</source>
        <translation>x 乘以自身 softplus 的 tanh</translation>
    </message>
    <message>
        <source>Smooth approximation of relu</source>
        <translation>relu 的平滑近似</translation>
    </message>
    <message>
        <source>x divided by 1 + |x|</source>
        <translation>x 除以 1 + |x|</translation>
    </message>
    <message>
        <source>Exponential function</source>
        <translation>指数函数</translation>
    </message>
    <message>
        <source>Continuously differentiable ELU</source>
        <translation>连续可微的 ELU</translation>
    </message>
    <message>
        <source>Values clipped to the range -1 to 1</source>
        <translation>将值截断到 -1 至 1 的范围</translation>
    </message>
    <message>
        <source>x minus its tanh</source>
        <translation>x 减去自身的 tanh</translation>
    </message>
    <message>
        <source>Moves values toward zero by the threshold; values within the threshold become zero</source>
        <translation>将各值向零收缩，收缩量等于阈值；绝对值不超过阈值的值变为零</translation>
    </message>
    <message>
        <source>Values with at most this magnitude become zero</source>
        <translation>绝对值不超过此值的输入变为零</translation>
    </message>
    <message>
        <source>Values whose magnitude is at most the threshold become zero</source>
        <translation>绝对值不超过阈值的输入变为零</translation>
    </message>
    <message>
        <source>Logarithm of the sigmoid</source>
        <translation>sigmoid 的对数</translation>
    </message>
    <message>
        <source>Probabilities that sum to 1</source>
        <translation>总和为 1 的概率</translation>
    </message>
    <message>
        <source>Logarithm of softmax</source>
        <translation>softmax 的对数</translation>
    </message>
    <message>
        <source>Use the tanh approximation instead of the error function</source>
        <translation>用 tanh 近似代替误差函数</translation>
    </message>
    <message>
        <source>Values up to the threshold are replaced by a constant</source>
        <translation>不大于阈值的输入替换为常数</translation>
    </message>
    <message>
        <source>Values above this pass unchanged</source>
        <translation>大于此值的输入保持不变</translation>
    </message>
    <message>
        <source>Replacement for all other values</source>
        <translation>其余输入替换为此值</translation>
    </message>
    <message>
        <source>Smooth approximation of relu without exponentials</source>
        <translation>relu 的平滑近似，不使用指数函数</translation>
    </message>
    <message>
        <source>Smoothness; y(0) is sqrt(b) / 2</source>
        <translation>平滑程度；y(0) 等于 sqrt(b) / 2</translation>
    </message>
    <message>
        <source>Smooth relu that is zero below -1 and linear above 1</source>
        <translation>平滑的 relu：小于 -1 时为零，大于 1 时为线性</translation>
    </message>
    <message>
        <source>Piecewise linear: maps -1..1 to 0..1</source>
        <translation>分段线性：将 -1..1 映射到 0..1</translation>
    </message>
    <message>
        <source>Gated linear unit: one half of the values times the sigmoid of the other half</source>
        <translation>门控线性单元：一半的值乘以另一半的 sigmoid</translation>
    </message>
    <message>
        <source>Dimension to halve; 0 is the batch, -1 the last dimension</source>
        <translation>要减半的维度；0 为批维度，-1 为最后一维</translation>
    </message>
    <message>
        <source>Sparse softmax: small values become exactly zero</source>
        <translation>稀疏 softmax：较小的值直接变为零</translation>
    </message>
    <message>
        <source>Dimension that is normalized; 0 is the batch, -1 the last dimension</source>
        <translation>沿此维度归一化；0 为批维度，-1 为最后一维</translation>
    </message>
    <message>
        <source>Slope for values below the threshold</source>
        <translation>低于阈值部分的斜率</translation>
    </message>
    <message>
        <source>Maximum value; by default unlimited</source>
        <translation>最大值；默认不限制</translation>
    </message>
</context>
<context>
    <name>argument</name>
    <message>
        <source>a list of layers</source>
        <translation>层的列表</translation>
    </message>
    <message>
        <source>an empty list</source>
        <translation>空列表</translation>
    </message>
    <message>
        <source>an integer</source>
        <translation>整数</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>数字</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true 或 false</translation>
    </message>
    <message>
        <source>a string</source>
        <translation>字符串</translation>
    </message>
    <message>
        <source>one of the allowed values</source>
        <translation>允许的取值之一</translation>
    </message>
    <message>
        <source>an integer or a list of two integers</source>
        <translation>整数，或两个整数的列表</translation>
    </message>
    <message>
        <source>a list of integers</source>
        <translation>整数的列表</translation>
    </message>
    <message>
        <source>a list of numbers</source>
        <translation>数字的列表</translation>
    </message>
    <message>
        <source>a name or an object with &quot;type&quot;</source>
        <translation>名称，或带有 &quot;type&quot; 的对象</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>no trial steps were requested</source>
        <translation>未要求试运行</translation>
    </message>
    <message>
        <source>the step does not fit in memory, so trial steps could not run</source>
        <translation>训练步超出可用内存，无法试运行</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>a number or an object with &quot;type&quot;</source>
        <translation>数字，或带有 &quot;type&quot; 的对象</translation>
    </message>
    <message>
        <source>a list of strings</source>
        <translation>字符串列表</translation>
    </message>
    <message>
        <source>an integer or a list of three integers</source>
        <translation>整数，或三个整数的列表</translation>
    </message>
    <message>
        <source>an integer or a list of integers</source>
        <translation>整数，或整数的列表</translation>
    </message>
    <message>
        <source>an integer, a list of two integers or a list of two pairs</source>
        <translation>整数、两个整数的列表，或两对整数的列表</translation>
    </message>
    <message>
        <source>an integer, a list of three integers or a list of three pairs</source>
        <translation>整数、三个整数的列表，或三对整数的列表</translation>
    </message>
    <message>
        <source>an integer or one of the allowed values</source>
        <translation>整数，或允许的取值之一</translation>
    </message>
    <message>
        <source>a list of objects</source>
        <translation>对象的列表</translation>
    </message>
    <message>
        <source>output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Input layer</source>
        <translation>Input 层</translation>
    </message>
    <message>
        <source>numbers, or lists of numbers of equal length</source>
        <translation>数字的列表，或由等长列表组成的列表</translation>
    </message>
    <message>
        <source>an object</source>
        <translation>对象</translation>
    </message>
    <message>
        <source>a step takes too long for trial steps</source>
        <translation>单步耗时过长，不进行试运行</translation>
    </message>
    <message>
        <source>a list instead of a number</source>
        <translation>列表（应为数字）</translation>
    </message>
    <message>
        <source>a number instead of a list</source>
        <translation>数字（应为列表）</translation>
    </message>
    <message>
        <source>a number outside the range of float32</source>
        <translation>超出 float32 范围的数字</translation>
    </message>
    <message>
        <source>a fraction or a number above 2147483647</source>
        <translation>小数或大于 2147483647 的数字</translation>
    </message>
    <message>
        <source>it is not an NVIDIA GPU</source>
        <translation>它不是 NVIDIA GPU</translation>
    </message>
    <message>
        <source>CUDA 13 needs compute capability 7.5 or higher</source>
        <translation>CUDA 13 需要 7.5 或更高的计算能力</translation>
    </message>
    <message>
        <source>a simulated card has no measured times</source>
        <translation>模拟的显卡只有预测时间</translation>
    </message>
    <message>
        <source>this installation has no plug-in for NVIDIA GPUs (libstrata_cuda.so). Build Strata where the CUDA Toolkit 13 is installed.</source>
        <translation>此安装没有用于 NVIDIA GPU 的插件（libstrata_cuda.so）。请在装有 CUDA Toolkit 13 的机器上构建 Strata。</translation>
    </message>
    <message>
        <source>no program may use this GPU: its compute mode is &quot;prohibited&quot;. Run nvidia-smi -c DEFAULT as root.</source>
        <translation>任何程序都不能使用此 GPU：其计算模式为“prohibited”。请以 root 身份运行 nvidia-smi -c DEFAULT。</translation>
    </message>
    <message>
        <source>this machine has no GPU with that number. `strata devices` lists the GPUs.</source>
        <translation>此机器没有该编号的 GPU。`strata devices` 会列出各 GPU。</translation>
    </message>
    <message>
        <source>this container was started without the NVIDIA GPU of its machine. Start it with --gpus all.</source>
        <translation>此容器启动时没有使用所在机器的 NVIDIA GPU。请用 --gpus all 启动它。</translation>
    </message>
    <message>
        <source>no NVIDIA GPU was found.</source>
        <translation>未找到 NVIDIA GPU。</translation>
    </message>
    <message>
        <source>no driver is loaded for the NVIDIA GPU. Run `strata doctor` for help.</source>
        <translation>NVIDIA GPU 的驱动程序未加载。运行 `strata doctor` 可获得帮助。</translation>
    </message>
    <message>
        <source>the NVIDIA driver is too old for CUDA 13. Run `strata doctor` for help.</source>
        <translation>NVIDIA 驱动程序对 CUDA 13 来说太旧。运行 `strata doctor` 可获得帮助。</translation>
    </message>
    <message>
        <source>CUDA_VISIBLE_DEVICES hides all NVIDIA GPUs. Run `strata doctor` for help.</source>
        <translation>CUDA_VISIBLE_DEVICES 隐藏了所有 NVIDIA GPU。运行 `strata doctor` 可获得帮助。</translation>
    </message>
    <message>
        <source>this installation of Strata has no plug-in for NVIDIA GPUs. Run `strata doctor` for help.</source>
        <translation>此 Strata 安装没有用于 NVIDIA GPU 的插件。运行 `strata doctor` 可获得帮助。</translation>
    </message>
    <message>
        <source>an NVIDIA driver is loaded, but it lists no GPU. Run `strata doctor` for help.</source>
        <translation>NVIDIA 驱动程序已加载，但没有列出任何 GPU。请运行 `strata doctor` 获取帮助。</translation>
    </message>
    <message>
        <source>training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>replica 0</source>
        <translation>副本 0</translation>
    </message>
</context>
<context>
    <name>constraint</name>
    <message>
        <source>Axes along which the norm is computed: 0 for Dense, [0, 1, 2] for Conv2D</source>
        <translation>沿这些轴计算范数：Dense 为 0，Conv2D 为 [0, 1, 2]</translation>
    </message>
    <message>
        <source>Limits the norm of the weights of each unit after each update</source>
        <translation>每次更新后限制每个单元权重的范数</translation>
    </message>
    <message>
        <source>Maximum norm</source>
        <translation>最大范数</translation>
    </message>
    <message>
        <source>Sets negative weights to zero after each update</source>
        <translation>每次更新后将负的权重设为零</translation>
    </message>
    <message>
        <source>Scales the weights of each unit to norm 1 after each update</source>
        <translation>每次更新后缩放每个单元的权重，使其范数为 1</translation>
    </message>
    <message>
        <source>Keeps the norm of the weights of each unit within a range after each update</source>
        <translation>每次更新后将每个单元权重的范数限制在给定范围内</translation>
    </message>
    <message>
        <source>Minimum norm</source>
        <translation>最小范数</translation>
    </message>
    <message>
        <source>How strictly the constraint is enforced; 1 enforces it fully</source>
        <translation>约束的严格程度；1 表示完全执行约束</translation>
    </message>
</context>
<context>
    <name>data</name>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>图像</translation>
    </message>
    <message>
        <source>Path of the training images, relative to the project file.</source>
        <translation>训练图像的路径，相对于项目文件。</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Test images</source>
        <translation>测试图像</translation>
    </message>
    <message>
        <source>Images of the test set.</source>
        <translation>测试集的图像。</translation>
    </message>
    <message>
        <source>Test labels</source>
        <translation>测试标签</translation>
    </message>
    <message>
        <source>Labels of the test set.</source>
        <translation>测试集的标签。</translation>
    </message>
    <message>
        <source>target &quot;value&quot; uses the integer itself as the label (expected kind &quot;integer&quot;, got &quot;%1&quot;). Set kind to &quot;integer&quot;.</source>
        <translation>target &quot;value&quot; 以整数本身为标签（kind 应为 &quot;integer&quot;，实际为 &quot;%1&quot;）。请将 kind 设为 &quot;integer&quot;。</translation>
    </message>
    <message>
        <source>target &quot;value&quot; needs a class for each integer (expected classes of at least %1, got %2). Set classes to %1.</source>
        <translation>target &quot;value&quot; 要求每个整数对应一个类别（classes 至少应为 %1，实际为 %2）。请将 classes 设为 %1。</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>样本数</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>类别数</translation>
    </message>
    <message>
        <source>Labels are 0 to classes - 1.</source>
        <translation>标签为 0 到 classes - 1。</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>Upper bound</source>
        <translation>上限</translation>
    </message>
    <message>
        <source>Integers are 0 to high - 1.</source>
        <translation>整数为 0 到 high - 1。</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>x</source>
        <translation>x</translation>
    </message>
    <message>
        <source>y</source>
        <translation>y</translation>
    </message>
    <message>
        <source>Scale</source>
        <translation>缩放系数</translation>
    </message>
    <message>
        <source>Offset</source>
        <translation>偏移</translation>
    </message>
    <message>
        <source>The project needs a data source (expected an object with &quot;type&quot;, such as {&quot;type&quot;: &quot;mnist&quot;}). Choose one.</source>
        <translation>项目需要数据源（应为带有 &quot;type&quot; 的对象，例如 {&quot;type&quot;: &quot;mnist&quot;}）。请选择一个。</translation>
    </message>
    <message>
        <source>Unknown data source &quot;%1&quot;. Did you mean &quot;%2&quot;?</source>
        <translation>未知的数据源“%1”。您是指“%2”吗？</translation>
    </message>
    <message>
        <source>CIFAR-10 or CIFAR-100, binary version: color images of 32 by 32 pixels in 10, 20 or 100 classes.</source>
        <translation>CIFAR-10 或 CIFAR-100 的二进制版本：32×32 像素的彩色图像，10、20 或 100 个类别。</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Delimiter</source>
        <translation>分隔符</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Test file</source>
        <translation>测试文件</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Ignore</source>
        <translation>忽略</translation>
    </message>
    <message>
        <source>Categorical columns</source>
        <translation>类别列</translation>
    </message>
    <message>
        <source>Category encoding</source>
        <translation>类别编码</translation>
    </message>
    <message>
        <source>Missing values</source>
        <translation>缺失值</translation>
    </message>
    <message>
        <source>Missing value markers</source>
        <translation>缺失值标记</translation>
    </message>
    <message>
        <source>Header</source>
        <translation>表头</translation>
    </message>
    <message>
        <source>Sample weights</source>
        <translation>样本权重</translation>
    </message>
    <message>
        <source>Image size</source>
        <translation>图像尺寸</translation>
    </message>
    <message>
        <source>Color mode</source>
        <translation>颜色模式</translation>
    </message>
    <message>
        <source>Crop</source>
        <translation>裁剪</translation>
    </message>
    <message>
        <source>Test folder</source>
        <translation>测试文件夹</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>归档文件</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Targets</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>Test inputs</source>
        <translation>测试输入</translation>
    </message>
    <message>
        <source>Test targets</source>
        <translation>测试目标</translation>
    </message>
    <message>
        <source>Samples to skip</source>
        <translation>跳过的样本数</translation>
    </message>
    <message>
        <source>Samples to use</source>
        <translation>使用的样本数</translation>
    </message>
    <message>
        <source>Test split</source>
        <translation>测试集比例</translation>
    </message>
    <message>
        <source>Validation split</source>
        <translation>验证集比例</translation>
    </message>
    <message>
        <source>Damaged samples</source>
        <translation>损坏的样本</translation>
    </message>
    <message>
        <source>Unknown data source &quot;%1&quot; (expected one of: %2). Choose one.</source>
        <translation>未知的数据源“%1”（应为以下之一：%2）。请选择一个。</translation>
    </message>
    <message>
        <source>%1</source>
        <translation>%1</translation>
    </message>
    <message>
        <source>Axis</source>
        <translation>轴</translation>
    </message>
    <message>
        <source>Epsilon</source>
        <translation>Epsilon</translation>
    </message>
    <message>
        <source>Lower bound</source>
        <translation>下限</translation>
    </message>
    <message>
        <source>Minimum</source>
        <translation>最小值</translation>
    </message>
    <message>
        <source>Maximum</source>
        <translation>最大值</translation>
    </message>
    <message>
        <source>Unknown transform &quot;%1&quot; (expected one of: %2). Choose one, or remove the transform.</source>
        <translation>未知的变换“%1”（应为以下之一：%2）。请选择一个，或删除该变换。</translation>
    </message>
    <message>
        <source>Unknown transform &quot;%1&quot;. Did you mean &quot;%2&quot;?</source>
        <translation>未知的变换“%1”。您是指“%2”吗？</translation>
    </message>
    <message>
        <source>maximum must be greater than minimum (expected more than %1, got %2). Correct it.</source>
        <translation>maximum 必须大于 minimum（应大于 %1，实际为 %2）。请更正。</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>The network has no %1 &quot;%2&quot; (expected one of: %3). Correct the name, or remove it.</source>
        <translation>网络没有名为“%2”的%1（应为以下之一：%3）。请更正名称，或将其删除。</translation>
    </message>
    <message>
        <source>Keep in memory</source>
        <translation>保留在内存中</translation>
    </message>
    <message>
        <source>Line breaks in cells</source>
        <translation>单元格内换行</translation>
    </message>
    <message>
        <source>Test images must have the same shape as the training images (expected %1, got %2). Choose the matching file.</source>
        <translation>测试图像的形状必须与训练图像相同（应为 %1，实际为 %2）。请选择匹配的文件。</translation>
    </message>
    <message>
        <source>Handwritten digits: 60,000 training and 10,000 test images of 28 by 28 gray pixels. Included with Strata.</source>
        <translation>手写数字：60,000 张训练图像和 10,000 张测试图像，均为 28×28 像素的灰度图。随 Strata 提供。</translation>
    </message>
    <message>
        <source>Training labels, one integer per sample.</source>
        <translation>训练标签，每个样本一个整数。</translation>
    </message>
    <message>
        <source>%1 is missing (expected a list with one entry per sample). Add it.</source>
        <translation>缺少 %1（应为列表，每个样本一项）。请添加。</translation>
    </message>
    <message>
        <source>Random inputs (normally distributed numbers or integers) with random classes or the integer itself as label. The test set has a tenth as many samples and uses the next seed.</source>
        <translation>随机输入（正态分布的数或整数），标签为随机类别或整数本身。测试集的样本数为训练集的十分之一，使用下一个种子。</translation>
    </message>
    <message>
        <source>Number of training samples to generate.</source>
        <translation>要生成的训练样本数。</translation>
    </message>
    <message>
        <source>Shape of one sample, without the batch dimension.</source>
        <translation>单个样本的形状，不含批维度。</translation>
    </message>
    <message>
        <source>Class folders</source>
        <translation>类别文件夹</translation>
    </message>
    <message>
        <source>Random seed for the generated data.</source>
        <translation>生成数据所用的随机种子。</translation>
    </message>
    <message>
        <source>Normally distributed numbers or integers.</source>
        <translation>正态分布的数，或整数。</translation>
    </message>
    <message>
        <source>Label: a random class, or the integer itself.</source>
        <translation>标签：随机类别，或整数本身。</translation>
    </message>
    <message>
        <source>Samples stored in the project file; they also serve as the test set.</source>
        <translation>直接写在项目文件中的样本，同时用作测试集。</translation>
    </message>
    <message>
        <source>Multiplies each input value by a scale and adds an offset.</source>
        <translation>将每个输入值乘以缩放系数，再加上偏移。</translation>
    </message>
    <message>
        <source>Value added after scaling.</source>
        <translation>缩放之后加上的值。</translation>
    </message>
    <message>
        <source>For CIFAR-100: 100 fine or 20 coarse classes.</source>
        <translation>用于 CIFAR-100：100 个细类或 20 个粗类。</translation>
    </message>
    <message>
        <source>Path of the unpacked folder with the .bin files, relative to the project file.</source>
        <translation>解压后的文件夹（其中有 .bin 文件）的路径，相对于项目文件。</translation>
    </message>
    <message>
        <source>Column &quot;%1&quot; has %2 different text values in %3 rows, so it may only identify rows. Add it to the list &quot;ignore&quot;.</source>
        <translation>列“%1”在 %3 行中有 %2 个不同的文本值，可能只用来区分各行。请将它加入列表“ignore”。</translation>
    </message>
    <message>
        <source>A text table with one sample per row; columns contain numbers or text (categories), and one or more columns are the target.</source>
        <translation>文本表格，每行一个样本；各列为数值或文本（类别），其中一列或多列为目标。</translation>
    </message>
    <message>
        <source>Number that replaces missing numbers if missing is value.</source>
        <translation>missing 为 value 时，用来填充缺失数值的数。</translation>
    </message>
    <message>
        <source>Path of the table, relative to the project file.</source>
        <translation>表格文件的路径，相对于项目文件。</translation>
    </message>
    <message>
        <source>Table with the same columns, used as the test set.</source>
        <translation>用作测试集的表格，列与训练表格相同。</translation>
    </message>
    <message>
        <source>Names of the columns to leave out.</source>
        <translation>要忽略的列的名称。</translation>
    </message>
    <message>
        <source>Names of numeric columns to treat as categories; text columns always are.</source>
        <translation>要按类别处理的数值列的名称；文本列始终按类别处理。</translation>
    </message>
    <message>
        <source>one_hot: one value per category; integer: an index starting at 1, for an Embedding layer; 0 means unknown.</source>
        <translation>one_hot：每个类别一个值；integer：从 1 开始的索引，供 Embedding 层使用；0 表示未知类别。</translation>
    </message>
    <message>
        <source>Text that marks a missing value, in addition to empty cells.</source>
        <translation>表示缺失值的文本；空单元格始终视为缺失值。</translation>
    </message>
    <message>
        <source>Whether the first row contains column names; auto: detected from the first rows.</source>
        <translation>第一行是否为列名；auto：根据前几行的内容自动判断。</translation>
    </message>
    <message>
        <source>Decimal separator</source>
        <translation>小数点</translation>
    </message>
    <message>
        <source>A test set needs test_images and test_labels (expected both, got one). Set both or neither.</source>
        <translation>测试集需要 test_images 和 test_labels（应同时设置，实际只设置了一个）。请都设置，或都不设置。</translation>
    </message>
    <message>
        <source>Height and width that all images are resized to; by default those of the first image.</source>
        <translation>将所有图像缩放到此高度和宽度；默认为第一幅图像的尺寸。</translation>
    </message>
    <message>
        <source>grayscale, rgb or rgba: images are converted to 1, 3 or 4 channels.</source>
        <translation>grayscale、rgb、rgba：将图像分别转换为 1、3、4 个通道。</translation>
    </message>
    <message>
        <source>Images with a different aspect ratio are cropped instead of stretched.</source>
        <translation>宽高比不同的图像会被裁剪，而不是拉伸。</translation>
    </message>
    <message>
        <source>Folders to use, in the order of their class numbers; by default all, sorted by name.</source>
        <translation>要使用的文件夹，按类别编号的顺序列出；默认为全部文件夹，按名称排序。</translation>
    </message>
    <message>
        <source>Path of a folder with one subfolder per class, relative to the project file.</source>
        <translation>文件夹的路径，其中每个类别一个子文件夹；相对于项目文件。</translation>
    </message>
    <message>
        <source>Path of a .npz file, relative to the project file; if it is not set, the fields below are paths of .npy files.</source>
        <translation>.npz 文件的路径，相对于项目文件；不设置时，以下各字段为 .npy 文件的路径。</translation>
    </message>
    <message>
        <source>How samples are selected and split into training, validation and test sets, and how damaged samples are handled.</source>
        <translation>如何选取样本并划分为训练集、验证集和测试集，以及如何处理损坏的样本。</translation>
    </message>
    <message>
        <source>Number of samples to skip at the beginning.</source>
        <translation>开头跳过的样本数。</translation>
    </message>
    <message>
        <source>Number of samples to use after the skipped ones; by default all.</source>
        <translation>跳过之后使用的样本数；默认使用全部。</translation>
    </message>
    <message>
        <source>Shuffle before splitting</source>
        <translation>划分前打乱</translation>
    </message>
    <message>
        <source>Seed for shuffling the samples once before they are split; by default their order is kept.</source>
        <translation>用于在划分前打乱样本的种子（只打乱一次）；默认保持原有顺序。</translation>
    </message>
    <message>
        <source>Fraction of the samples to use as the test set, taken from the end; for sources without a test set.</source>
        <translation>用作测试集的样本比例，从末尾选取；适用于不带测试集的数据源。</translation>
    </message>
    <message>
        <source>Fraction of the remaining samples to use for validation after each epoch, taken from the end.</source>
        <translation>其余样本中用于每轮验证的比例，从末尾选取。</translation>
    </message>
    <message>
        <source>stop: report an error; skip: leave out damaged samples; replace: use the nearest intact sample before each damaged one.</source>
        <translation>stop：报告错误；skip：跳过损坏的样本；replace：用损坏样本之前最近的完好样本代替。</translation>
    </message>
    <message>
        <source>%1: %2 Fix the file, or set on_damaged to skip or replace.</source>
        <translation>%1：%2 请修复该文件，或将 on_damaged 设为 skip 或 replace。</translation>
    </message>
    <message>
        <source>%1: %2 The sample is left out.</source>
        <translation>%1：%2 已跳过该样本。</translation>
    </message>
    <message>
        <source>%1: %2 The nearest intact sample replaces it.</source>
        <translation>%1：%2 已用最近的完好样本代替。</translation>
    </message>
    <message>
        <source>%1 more damaged samples (%2 in total).</source>
        <translation>还有 %1 个损坏的样本（共 %2 个）。</translation>
    </message>
    <message>
        <source>The source already has a test set of %1 samples (expected test_split 0). Remove test_split.</source>
        <translation>数据源已自带 %1 个样本的测试集（test_split 应为 0）。请删除 test_split。</translation>
    </message>
    <message>
        <source>one_hot needs targets that are class numbers below classes (expected classes of at least %1, got %2). Set classes to null.</source>
        <translation>one_hot 要求目标为小于 classes 的类别编号（classes 至少应为 %1，实际为 %2）。请将 classes 设为 null。</translation>
    </message>
    <message>
        <source>-1: separate statistics for each column or channel; none: the same for all.</source>
        <translation>-1：每列或每个通道分别统计；无：全部合并统计。</translation>
    </message>
    <message>
        <source>Number of classes; by default that of the data.</source>
        <translation>类别数；默认与数据的类别数相同。</translation>
    </message>
    <message>
        <source>Columns with a smaller standard deviation are shifted but not scaled.</source>
        <translation>标准差小于该值的列只平移，不缩放。</translation>
    </message>
    <message>
        <source>Scales each column or channel to mean 0 and standard deviation 1, computed on the training set.</source>
        <translation>将每列或每个通道缩放为均值 0、标准差 1（按训练集计算）。</translation>
    </message>
    <message>
        <source>Scales each column or channel to low..high, computed on the training set.</source>
        <translation>将每列或每个通道缩放到 low..high（按训练集计算）。</translation>
    </message>
    <message>
        <source>Value that the minimum is mapped to.</source>
        <translation>数据的最小值会映射到此值。</translation>
    </message>
    <message>
        <source>Value that the maximum is mapped to.</source>
        <translation>数据的最大值会映射到此值。</translation>
    </message>
    <message>
        <source>Limits each input value to minimum..maximum.</source>
        <translation>将每个输入值限制在 minimum..maximum 之内。</translation>
    </message>
    <message>
        <source>Smaller values are set to this.</source>
        <translation>小于该值的输入会设为该值。</translation>
    </message>
    <message>
        <source>Larger values are set to this.</source>
        <translation>大于该值的输入会设为该值。</translation>
    </message>
    <message>
        <source>Compresses large values: the logarithm of 1 + |x| with the sign of x.</source>
        <translation>压缩较大的值：取 1 + |x| 的对数，并保留 x 的符号。</translation>
    </message>
    <message>
        <source>Encodes a label as one value per class: 1 for its own class, 0 for all others; for categorical_crossentropy.</source>
        <translation>将标签编码为每个类别一个值：所属类别为 1，其余为 0；用于 categorical_crossentropy。</translation>
    </message>
    <message>
        <source>%1 samples of shape %2 do not fit in memory. Use fewer or smaller samples.</source>
        <translation>%1 个形状为 %2 的样本无法装入内存。请减少样本数或缩小样本。</translation>
    </message>
    <message>
        <source>%1 has the wrong type (expected a list of numbers, or of lists of equal length, got %2). Correct it.</source>
        <translation>%1 的类型错误（应为数字的列表，或由等长列表组成的列表，实际为 %2）。请更正。</translation>
    </message>
    <message>
        <source>transforms has the wrong type (expected a list, got %1). Write [{&quot;type&quot;: &quot;rescale&quot;}] or [].</source>
        <translation>transforms 的类型错误（应为列表，实际为 %1）。请写成 [{&quot;type&quot;: &quot;rescale&quot;}] 或 []。</translation>
    </message>
    <message>
        <source>A transform has the wrong type (expected an object with &quot;type&quot;, got %1). Write {&quot;type&quot;: &quot;rescale&quot;}, or remove it.</source>
        <translation>变换的类型错误（应为带有 &quot;type&quot; 的对象，实际为 %1）。请写成 {&quot;type&quot;: &quot;rescale&quot;}，或将其删除。</translation>
    </message>
    <message>
        <source>%1 must be an object with one entry for each %2 (expected %3, got one entry for all). Write one entry for each.</source>
        <translation>%1 必须是一个对象，每个%2各有一项（应为 %3，实际只有一个共用项）。请为每个%2各写一项。</translation>
    </message>
    <message>
        <source>%1 contains &quot;%2&quot;, but there is no %3 with this name (expected %4). Correct the name.</source>
        <translation>%1 中含有“%2”，但没有该名称的%3（应为 %4）。请更正名称。</translation>
    </message>
    <message>
        <source>%1 has no entry for the %2 &quot;%3&quot; (expected %4, got %5). Add it.</source>
        <translation>%1 中没有%2“%3”对应的项（应为 %4，实际为 %5）。请添加。</translation>
    </message>
    <message>
        <source>Name of the target column, or a list of names; by default the last column. Without a header, columns are named 0, 1, and so on. With several outputs, an object with a list for each output.</source>
        <translation>目标列的名称，或名称的列表；默认为最后一列。没有表头时，列名依次为 0、1 等。有多个输出时，写成对象，每个输出一个列表。</translation>
    </message>
    <message>
        <source>Names of the input columns; by default all except the target columns. With several Input layers, an object with a list for each layer.</source>
        <translation>输入列的名称；默认为目标列以外的所有列。有多个 Input 层时，写成对象，每层一个列表。</translation>
    </message>
    <message>
        <source>%1 must contain as many samples as %2 (expected %3, got %4). Add or remove samples.</source>
        <translation>%1 的样本数必须与 %2 相同（应为 %3，实际为 %4）。请增减样本。</translation>
    </message>
    <message>
        <source>One entry per sample: a number, or numbers in nested lists. With several Input layers, an object with a list for each layer.</source>
        <translation>每个样本一项：一个数，或嵌套列表中的多个数。有多个 Input 层时，写成对象，每层一个列表。</translation>
    </message>
    <message>
        <source>One target per sample: a label, a number, or numbers in nested lists. With several outputs, an object with a list for each output.</source>
        <translation>每个样本一个目标：标签、数，或嵌套列表中的多个数。有多个输出时，写成对象，每个输出一个列表。</translation>
    </message>
    <message>
        <source>Array of inputs; in an archive, by default x or x_train. With several Input layers, an object with an array for each; in an archive, by default the arrays named after the layers.</source>
        <translation>输入数组；使用归档文件时，默认为 x 或 x_train。有多个 Input 层时，写成对象，每层一个数组；使用归档文件时，默认为与各层同名的数组。</translation>
    </message>
    <message>
        <source>Array of targets; in an archive, by default y or y_train. With several outputs, an object with an array for each; in an archive, by default the arrays named after the outputs.</source>
        <translation>目标数组；使用归档文件时，默认为 y 或 y_train。有多个输出时，写成对象，每个输出一个数组；使用归档文件时，默认为与各输出同名的数组。</translation>
    </message>
    <message>
        <source>Inputs of the test set, in the same form as x; in an archive, by default x_test if it exists.</source>
        <translation>测试集的输入，写法同 x；使用归档文件时，默认为 x_test（如果存在）。</translation>
    </message>
    <message>
        <source>Targets of the test set, in the same form as y; in an archive, by default y_test if it exists.</source>
        <translation>测试集的目标，写法同 y；使用归档文件时，默认为 y_test（如果存在）。</translation>
    </message>
    <message>
        <source>The source %1 has one array of inputs, but the network has the Input layers %2 (expected one array for each). Choose values, numpy or csv.</source>
        <translation>数据源 %1 只有一个输入数组，而网络有 Input 层 %2（每层应有一个数组）。请选择 values、numpy 或 csv。</translation>
    </message>
    <message>
        <source>The source %1 has one array of targets, but the network has the trained outputs %2 (expected one array for each). Choose values, numpy or csv.</source>
        <translation>数据源 %1 只有一个目标数组，而网络有需要训练的输出 %2（每个输出应有一个数组）。请选择 values、numpy 或 csv。</translation>
    </message>
    <message>
        <source>Name of the output to transform; by default all.</source>
        <translation>要变换的输出的名称；默认为全部。</translation>
    </message>
    <message>
        <source>Name of the Input layer to transform; by default all.</source>
        <translation>要变换的 Input 层的名称；默认为全部。</translation>
    </message>
    <message>
        <source>The loss needs class labels (expected integers of at least 0 in %1, got %2). Correct %1, or choose a loss for numbers.</source>
        <translation>该损失需要类别标签（%1 中应为不小于 0 的整数，实际为 %2）。请更正 %1，或选择用于数值的损失。</translation>
    </message>
    <message>
        <source>memory: images are decoded once and kept; none: the images of a batch are decoded during the previous step; auto: memory if all images take at most 60% of the free memory and of memory_limit, otherwise none.</source>
        <translation>memory：图像只解码一次并保留；none：在前一步运行时解码下一批图像；auto：如果全部图像不超过可用内存的 60%，也不超过 memory_limit 的 60%，则为 memory，否则为 none。</translation>
    </message>
    <message>
        <source>Images and labels in four IDX files, uncompressed or gzip, the format of MNIST and similar data sets. If a file is truncated and on_damaged is skip or replace, its complete samples are used.</source>
        <translation>由四个 IDX 文件（未压缩或 gzip）给出的图像和标签，即 MNIST 及类似数据集的格式。如果文件被截断，且 on_damaged 为 skip 或 replace，则使用其中完整的样本。</translation>
    </message>
    <message>
        <source>NumPy arrays: one .npz with named inputs and targets, or .npy files. The first dimension counts the samples. If a .npy file is truncated and on_damaged is skip or replace, its complete samples are used.</source>
        <translation>NumPy 数组：一个包含已命名的输入和目标的 .npz 文件，或多个 .npy 文件。第一维对应样本。如果 .npy 文件被截断，且 on_damaged 为 skip 或 replace，则使用其中完整的样本。</translation>
    </message>
    <message>
        <source>Name of the column with the weight of each sample in the loss, or an object with a column for each output; by default all weights are equal.</source>
        <translation>样本权重列的名称，用于对损失加权；也可写成对象，每个输出一列。默认权重全部相同。</translation>
    </message>
    <message>
        <source>%1 must contain a weight for each sample (expected %2 numbers of at least 0, got %3). Correct it.</source>
        <translation>%1 必须为每个样本给出一个权重（应为 %2 个不小于 0 的数，实际为 %3）。请更正。</translation>
    </message>
    <message>
        <source>Weights of the samples in the loss: one number per sample, or an object with a list for each output; by default all weights are equal.</source>
        <translation>各样本在损失中的权重：每个样本一个数；也可写成对象，每个输出一个列表。默认权重全部相同。</translation>
    </message>
    <message>
        <source>Array with the weight of each sample in the loss, or an object with an array for each output; by default all weights are equal.</source>
        <translation>样本权重的数组，用于对损失加权；也可写成对象，每个输出一个数组。默认权重全部相同。</translation>
    </message>
    <message>
        <source>The folder %1 has no images (expected PNG or JPEG files), but still counts as a class. Add images, remove the folder, or list only the other classes in class_names.</source>
        <translation>文件夹 %1 中没有图像（应有 PNG 或 JPEG 文件），但仍算作一个类别。请添加图像、删除该文件夹，或在 class_names 中只列出其他类别。</translation>
    </message>
    <message>
        <source>error: report an error; mean, median: use the mean or median of the training set (for text, its most frequent value); value: use a fixed value; drop: remove the row, even if only its label is missing.</source>
        <translation>error：报告错误；mean、median：使用训练集的均值或中位数（文本使用最常见的值）；value：使用固定值；drop：删除该行，即使只缺少标签。</translation>
    </message>
    <message>
        <source>No samples are left for training (samples: %1, skip: %2, validation_split: %3). Lower skip or validation_split.</source>
        <translation>没有剩余的样本可用于训练（样本数：%1，skip：%2，validation_split：%3）。请减小 skip 或 validation_split。</translation>
    </message>
    <message>
        <source>%1, row %2, column %3: a quoted cell ends in row %4 (expected its closing quote in the same row; number of such cells: %5). Close the quote, or set long_cells to true if cells may contain line breaks.</source>
        <translation>%1，第 %2 行第 %3 列：带引号的单元格到第 %4 行才结束（结束引号应在同一行；此类单元格共 %5 个）。请补上引号；如果单元格可以包含换行，请将 long_cells 设为 true。</translation>
    </message>
    <message>
        <source>Quoted cells may contain line breaks. If false, up to 3 such cells give a warning and more give an error, because a missing quote looks the same.</source>
        <translation>带引号的单元格可以包含换行。为 false 时，这样的单元格不超过 3 个则只给出警告，更多则报错，因为缺少引号时也会出现同样的情形。</translation>
    </message>
    <message>
        <source>Columns with percentages: %1. &apos;%2&apos; is read as %3. Add them to numeric to confirm this, or to categorical to keep the text.</source>
        <translation>含百分数的列：%1。“%2”读取为 %3。将这些列加入 numeric 即可确认，加入 categorical 则保留文本。</translation>
    </message>
    <message>
        <source>Columns with amounts of money: %1. &apos;%2&apos; is read as %3. Add them to numeric to confirm this, or to categorical to keep the text.</source>
        <translation>含金额的列：%1。“%2”读取为 %3。将这些列加入 numeric 即可确认，加入 categorical 则保留文本。</translation>
    </message>
    <message>
        <source>Columns with thousands separators: %1. &apos;%2&apos; is read as %3. Add them to numeric to confirm this, or to categorical to keep the text.</source>
        <translation>含千位分隔符的列：%1。“%2”读取为 %3。将这些列加入 numeric 即可确认，加入 categorical 则保留文本。</translation>
    </message>
    <message>
        <source>Columns with a decimal comma: %1. &apos;%2&apos; is read as %3. Set decimal to &quot;,&quot; to confirm this, or add them to categorical to keep the text.</source>
        <translation>以逗号为小数点的列：%1。“%2”读取为 %3。将 decimal 设为 &quot;,&quot; 即可确认，将这些列加入 categorical 则保留文本。</translation>
    </message>
    <message>
        <source>Columns with numbers that can be read in two ways: %1. &apos;%2&apos; is read as %3, but could be %4. Set decimal to &quot;%5&quot; to confirm this, or to &quot;%6&quot; for the other value.</source>
        <translation>含有两种读法的数字的列：%1。“%2”读取为 %3，但也可能是 %4。将 decimal 设为 &quot;%5&quot; 即可确认，设为 &quot;%6&quot; 则采用另一个值。</translation>
    </message>
    <message>
        <source>Columns with the minus sign U+2212: %1. &apos;%2&apos; is read as %3. Add them to numeric to confirm this, or to categorical to keep the text.</source>
        <translation>含负号 U+2212 的列：%1。“%2”读取为 %3。将这些列加入 numeric 即可确认，加入 categorical 则保留文本。</translation>
    </message>
    <message>
        <source>%1, line %2: &apos;%3&apos; begins with # and is ignored as a comment (number of such lines: %4). Set comment to &quot;#&quot; to confirm this.</source>
        <translation>%1，第 %2 行：“%3”以 # 开头，作为注释忽略（此类行共 %4 行）。将 comment 设为 &quot;#&quot; 即可确认。</translation>
    </message>
    <message>
        <source>%1, row %2: the cells after the names (%3) are read as units, not as data. Set units to &quot;yes&quot; to confirm this, or to &quot;no&quot; if they are data.</source>
        <translation>%1，第 %2 行：列名之后的单元格（%3）作为单位读取，而不是数据。将 units 设为 &quot;yes&quot; 即可确认；如果它们是数据，请设为 &quot;no&quot;。</translation>
    </message>
    <message>
        <source>%1, row %2: the numbers are read as names of columns (%3). Set header to &quot;yes&quot; to confirm this, or to &quot;no&quot; if they are data.</source>
        <translation>%1，第 %2 行：这些数字作为列名读取（%3）。将 header 设为 &quot;yes&quot; 即可确认；如果它们是数据，请设为 &quot;no&quot;。</translation>
    </message>
    <message>
        <source>%1, row %2: the whole numbers (%3) differ from the other rows, and are read as data. Set header to &quot;yes&quot; if they are names of columns, or to &quot;no&quot; to confirm this.</source>
        <translation>%1，第 %2 行：这些整数（%3）与其他行不同，作为数据读取。如果它们是列名，请将 header 设为 &quot;yes&quot;；设为 &quot;no&quot; 即可确认。</translation>
    </message>
    <message>
        <source>Columns with numbers in several notations, such as &apos;%2&apos;: %1. They are treated as categories. Write the numbers in one notation, or add the columns to categorical to confirm this.</source>
        <translation>数字有多种写法（例如“%2”）的列：%1。这些列按类别处理。请统一数字的写法，或将这些列加入 categorical 以确认。</translation>
    </message>
    <message>
        <source>Column &quot;%1&quot;: the labels are class numbers from 0 to %2, but no row has %3 (unused classes: %4). The network needs an output for each number. Write the labels as words, or number them without gaps, for fewer classes.</source>
        <translation>列“%1”：标签是 0 到 %2 的类别编号，但没有任何行的标签为 %3（未使用的类别：%4 个）。网络需要为每个编号提供一个输出。要减少类别，请将标签写成文字，或连续编号。</translation>
    </message>
    <message>
        <source>Column &quot;%1&quot;: float32 rounds the labels (%2 to %3), so small differences between them are lost. Subtract a number from them, or choose another label.</source>
        <translation>列“%1”：float32 会对标签（%2 到 %3）舍入，因此标签之间的微小差异会丢失。请将标签减去一个数，或选择其他标签。</translation>
    </message>
    <message>
        <source>Treat &apos;%1&apos; as a category</source>
        <translation>将“%1”视为类别</translation>
    </message>
    <message>
        <source>Column &quot;%1&quot;: %2 of %3 cells are missing values, because &apos;%4&apos; is in missing_words, and count as unknown. If &apos;%4&apos; is a category, remove it from missing_words.</source>
        <translation>列“%1”：%3 个单元格中有 %2 个是缺失值，因为“%4”在 missing_words 中；它们按未知类别处理。如果“%4”是一个类别，请将它从 missing_words 中删除。</translation>
    </message>
    <message>
        <source>Column &quot;%1&quot;: %2 of %3 cells are missing values, because &apos;%4&apos; is in missing_words, and are replaced by &apos;%5&apos;. If &apos;%4&apos; is a category, remove it from missing_words.</source>
        <translation>列“%1”：%3 个单元格中有 %2 个是缺失值，因为“%4”在 missing_words 中；它们用“%5”填充。如果“%4”是一个类别，请将它从 missing_words 中删除。</translation>
    </message>
    <message>
        <source>The source already has a validation set of %1 samples (expected validation_split 0), so validation_split is not used. Remove it.</source>
        <translation>数据源已自带 %1 个样本的验证集（validation_split 应为 0），因此不使用 validation_split。请将其删除。</translation>
    </message>
    <message>
        <source>scale is made for values up to %1, but the images have values up to %2 (expected 1/%2, got 1/%1). Remove scale to divide by %2.</source>
        <translation>scale 适用于最大为 %1 的值，而图像的值最大为 %2（应为 1/%2，实际为 1/%1）。请删除 scale，以便除以 %2。</translation>
    </message>
    <message>
        <source>The split is stratified, but the targets are not classes (expected class numbers, or 0 and 1). Set split to plain.</source>
        <translation>划分方式为 stratified，但目标不是类别（应为类别编号，或 0 和 1）。请将 split 设为 plain。</translation>
    </message>
    <message>
        <source>%1 of the classes (such as &quot;%2&quot;) occur only in the validation or test set, so they cannot be learned. Set split of data to stratified, or split_seed to 1 to shuffle the samples before splitting.</source>
        <translation>有 %1 个类别（例如“%2”）只出现在验证集或测试集中，因此无法学习。请将 data 的 split 设为 stratified，或将 split_seed 设为 1，以便在划分前打乱样本。</translation>
    </message>
    <message>
        <source>The validation set has only %1 of the %2 classes (it lacks %3, such as &quot;%4&quot;), so it does not show how well the network does. Set split of data to stratified, or split_seed to 1 to shuffle the samples before splitting.</source>
        <translation>验证集只有 %2 个类别中的 %1 个（缺少 %3 个，例如“%4”），因此不能反映网络的实际效果。请将 data 的 split 设为 stratified，或将 split_seed 设为 1，以便在划分前打乱样本。</translation>
    </message>
    <message>
        <source>Add the transform standardize</source>
        <translation>添加变换 standardize</translation>
    </message>
    <message>
        <source>Column &quot;%1&quot;: float32 rounds its values (%2 to %3), so that they become almost or exactly equal. Add the transform standardize.</source>
        <translation>列“%1”：float32 会对其值（%2 到 %3）舍入，使它们变得几乎相等或完全相等。请添加变换 standardize。</translation>
    </message>
    <message>
        <source>Input %1, value %2 of the samples: float32 rounds its values (%3 to %4), so that they become almost or exactly equal. Add the transform standardize.</source>
        <translation>输入 %1，样本的第 %2 个值：float32 会对其值（%3 到 %4）舍入，使它们变得几乎相等或完全相等。请添加变换 standardize。</translation>
    </message>
    <message>
        <source>Hidden files and folders, and folders of operating systems, are left out of %1 (%2): %3. Rename the ones that contain samples.</source>
        <translation>%1 中的隐藏文件和文件夹以及操作系统的文件夹已忽略（%2 个）：%3。请重命名其中含有样本的项。</translation>
    </message>
    <message>
        <source>The folder %1 is the training set, so these folders next to it are not used: %2. Each needs a folder for each class.</source>
        <translation>文件夹 %1 是训练集，因此不使用与它并列的以下文件夹：%2。其中每个文件夹都需要为每个类别各有一个文件夹。</translation>
    </message>
    <message>
        <source>The training folder %1 has no images of these classes, which other folders have, so they cannot be learned: %2. Add images, or list only the other classes in class_names.</source>
        <translation>训练文件夹 %1 中没有以下类别的图像，而其他文件夹中有，因此这些类别无法学习：%2。请添加图像，或在 class_names 中只列出其他类别。</translation>
    </message>
    <message>
        <source>%1 of %2 images have 16 bits, such as %3, and the others have 8, such as %4. Values of 8 bits are multiplied by 257, so that all range from 0 to 65535. Set bit_depth to confirm this, or to round all values to 8 bits.</source>
        <translation>%2 张图像中有 %1 张为 16 位，例如 %3；其余为 8 位，例如 %4。8 位的值会乘以 257，使所有值的范围均为 0 到 65535。请设置 bit_depth 以确认，或用它将所有值舍入为 8 位。</translation>
    </message>
    <message>
        <source>Images become a single color when their transparent pixels are blended with the background %3 (%1, such as %2), so they hold no information. Choose another background, or set color_mode to rgba.</source>
        <translation>有些图像的透明像素与背景 %3 混合后，图像变成单一颜色（%1 张，例如 %2），因此不含任何信息。请选择其他背景，或将 color_mode 设为 rgba。</translation>
    </message>
    <message>
        <source>Images become a single color when their transparent pixels are blended with the background %3 (%1, such as %2), because what they show has the same color. Choose another background.</source>
        <translation>有些图像的透明像素与背景 %3 混合后，图像变成单一颜色（%1 张，例如 %2），因为图像内容与背景颜色相同。请选择其他背景。</translation>
    </message>
    <message>
        <source>Background</source>
        <translation>背景</translation>
    </message>
    <message>
        <source>Color behind transparent pixels if color_mode is not rgba: white, black, gray or #RRGGBB. black_linear blends with black in linear light, as versions without this field did.</source>
        <translation>color_mode 不是 rgba 时透明像素后面的颜色：white、black、gray 或 #RRGGBB。black_linear 在线性光空间中与黑色混合，与没有此字段的版本相同。</translation>
    </message>
    <message>
        <source>Bit depth</source>
        <translation>位深度</translation>
    </message>
    <message>
        <source>Bits of a value. 8: 0 to 255; 16: 0 to 65535, with images of 8 bits multiplied by 257; auto: 16 if any PNG file has 16 bits, otherwise 8.</source>
        <translation>每个值的位数。8：0 到 255；16：0 到 65535，8 位图像的值乘以 257；auto：只要有 16 位的 PNG 文件就为 16，否则为 8。</translation>
    </message>
    <message>
        <source>Upright images</source>
        <translation>转正图像</translation>
    </message>
    <message>
        <source>Turns images upright, as the orientation in their EXIF data requires.</source>
        <translation>按 EXIF 数据中的方向将图像转正。</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>划分方式</translation>
    </message>
    <message>
        <source>plain: the last samples are for validation and test; stratified: the last samples of each class, so that each part has the same shares of the classes.</source>
        <translation>plain：末尾的样本用于验证和测试；stratified：取每个类别末尾的样本，使各部分中的类别比例相同。</translation>
    </message>
    <message>
        <source>Lines to skip</source>
        <translation>跳过的行数</translation>
    </message>
    <message>
        <source>Number of lines to ignore at the beginning of the file.</source>
        <translation>文件开头忽略的行数。</translation>
    </message>
    <message>
        <source>Numeric columns</source>
        <translation>数值列</translation>
    </message>
    <message>
        <source>Names of columns that contain numbers, even if they have thousands separators, percent or currency signs, or words in some rows.</source>
        <translation>包含数字的列的名称，即使其中有千位分隔符、百分号或货币符号，或某些行中有文字。</translation>
    </message>
    <message>
        <source>Character before the fractional part of numbers that can be read in two ways, such as 1,234; auto: as in the other columns.</source>
        <translation>有两种读法的数字（例如 1,234）中小数部分之前的字符；auto：与其他列相同。</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>单位</translation>
    </message>
    <message>
        <source>Whether the row after the names contains units, such as [m], which are ignored; auto: detected from the first rows.</source>
        <translation>列名之后的一行是否为单位，例如 [m]（单位会被忽略）；auto：根据前几行的内容自动判断。</translation>
    </message>
    <message>
        <source>Comment marker</source>
        <translation>注释标记</translation>
    </message>
    <message>
        <source>Lines that begin with this text are ignored; by default, lines that begin with # and have another number of cells than the table.</source>
        <translation>以此文本开头的行会被忽略；默认忽略以 # 开头且单元格数与表格不同的行。</translation>
    </message>
    <message>
        <source>Validation folder</source>
        <translation>验证文件夹</translation>
    </message>
    <message>
        <source>Folder with the same classes, used as the validation set; by default valid, val or validation in a split folder.</source>
        <translation>用作验证集的文件夹，类别相同；默认为已划分的文件夹中的 valid、val 或 validation。</translation>
    </message>
    <message>
        <source>Folder with the same classes, used as the test set; by default test in a split folder.</source>
        <translation>用作测试集的文件夹，类别相同；默认为已划分的文件夹中的 test。</translation>
    </message>
    <message>
        <source>Factor by which every input value is multiplied; by default 1/65535 for images of 16 bits, and otherwise 1/255, which scales images to 0..1.</source>
        <translation>每个输入值乘以的系数；16 位图像默认为 1/65535，其他情况默认为 1/255，即将图像缩放到 0..1。</translation>
    </message>
    <message>
        <source>Fill missing cells with the mean of the column (%1)</source>
        <translation>用该列的均值填充缺失单元格（%1 个）</translation>
    </message>
    <message>
        <source>Fill missing cells with the median of the column (%1)</source>
        <translation>用该列的中位数填充缺失单元格（%1 个）</translation>
    </message>
    <message>
        <source>Fill missing cells with the most frequent word of the column (%1)</source>
        <translation>用该列最常见的词填充缺失单元格（%1 个）</translation>
    </message>
    <message>
        <source>Drop rows with missing cells (%1 of %2)</source>
        <translation>删除含缺失单元格的行（%1 / %2）</translation>
    </message>
    <message>
        <source>Build a network that predicts %1 as a number</source>
        <translation>构建预测 %1 数值的网络</translation>
    </message>
    <message>
        <source>Build a network that predicts %1 (%2 classes)</source>
        <translation>构建预测 %1 的网络（%2 个类别）</translation>
    </message>
    <message>
        <source>The folders in %1 are named like the parts of a split, but count as classes: %2. If they are parts, each needs a folder for each class. Otherwise list them in class_names.</source>
        <translation>%1 中的文件夹名称像是划分的各部分，却被当作类别：%2。如果它们是划分的各部分，每个文件夹都需要为每个类别各有一个子文件夹。否则请在 class_names 中列出它们。</translation>
    </message>
    <message>
        <source>The folders in %1 (%2) contain folders with the same names (%3), so they may be the parts of a split, but count as classes. Rename parts to train, valid and test, or list classes in class_names.</source>
        <translation>%1 中的文件夹（%2）包含同名的子文件夹（%3），因此可能是划分的各部分，却被当作类别。请将各部分改名为 train、valid 和 test，或在 class_names 中列出类别。</translation>
    </message>
    <message>
        <source>%1 contains only the folder &quot;%2&quot;, so all images have the same class. Choose &quot;%2&quot; as the folder: it contains %3.</source>
        <translation>%1 中只有文件夹“%2”，因此所有图像属于同一类别。请选择“%2”作为文件夹：它包含 %3。</translation>
    </message>
    <message>
        <source>Use the folder &quot;%1&quot;</source>
        <translation>使用文件夹“%1”</translation>
    </message>
    <message>
        <source>All images of %1 have the same class, &quot;%2&quot; (expected at least 2 classes), so there is nothing to distinguish. Choose a folder with a folder for each class.</source>
        <translation>%1 的所有图像属于同一类别“%2”（应至少有 2 个类别），因此没有可区分的内容。请选择一个为每个类别各有一个子文件夹的文件夹。</translation>
    </message>
    <message>
        <source>PNG and JPEG images in one folder per class; classes are sorted by name. Each class is spread evenly over the samples, so that every split contains all classes. If the folder contains train, valid and test (or similar names, such as seg_train or holdout) with a folder per class in each, these are the splits. Values are sRGB: the gamma of a PNG of 8 bits is corrected, and color profiles are not applied. Hidden files and folders of operating systems, such as __MACOSX, are left out.</source>
        <translation>PNG 和 JPEG 图像，每个类别一个文件夹；类别按名称排序。每个类别均匀分布在样本中，因此每个划分都包含所有类别。如果文件夹中有 train、valid 和 test（或类似名称，如 seg_train 或 holdout），且其中每个都为每个类别各有一个文件夹，它们就是各划分。数值为 sRGB：8 位 PNG 的伽马会被校正，颜色配置文件不会应用。隐藏文件以及操作系统的文件夹（如 __MACOSX）会被忽略。</translation>
    </message>
    <message>
        <source>All %1 samples have the same target (%2), so the network can only learn a constant (expected at least 2 classes). Check the targets.</source>
        <translation>全部 %1 个样本的目标都相同（%2），因此网络只能学到一个常数（应至少有 2 个类别）。请检查目标。</translation>
    </message>
    <message>
        <source>The test set has only %1 of the %2 classes (it lacks %3, such as &quot;%4&quot;), so it does not show how well the network does. Set split of data to stratified, or split_seed to 1 to shuffle the samples before splitting.</source>
        <translation>测试集只有 %2 个类别中的 %1 个（缺少 %3 个，例如“%4”），因此不能反映网络的实际效果。请将 data 的 split 设为 stratified，或将 split_seed 设为 1，以便在划分前打乱样本。</translation>
    </message>
    <message>
        <source>Columns with units after the numbers: %1. &apos;%2&apos; is read as %3. Add them to numeric to confirm this, or to categorical to keep the text.</source>
        <translation>数字后带单位的列：%1。“%2”读取为 %3。将这些列加入 numeric 即可确认，加入 categorical 则保留文本。</translation>
    </message>
    <message>
        <source>Columns with numbers in parentheses: %1. &apos;%2&apos; is read as the negative number %3. Add them to numeric to confirm this, or to categorical to keep the text.</source>
        <translation>数字带括号的列：%1。“%2”读取为负数 %3。将这些列加入 numeric 即可确认，加入 categorical 则保留文本。</translation>
    </message>
    <message>
        <source>Columns with an unusual minus sign: %1. &apos;%2&apos; is read as %3. Add them to numeric to confirm this, or to categorical to keep the text.</source>
        <translation>负号写法特殊的列：%1。“%2”读取为 %3。将这些列加入 numeric 即可确认，加入 categorical 则保留文本。</translation>
    </message>
    <message>
        <source>Columns with quotes that a spreadsheet wrote: %1. &apos;%2&apos; is read as %3. Add them to numeric to confirm this, or to categorical to keep the text.</source>
        <translation>带有电子表格所加引号的列：%1。“%2”读取为 %3。将这些列加入 numeric 即可确认，加入 categorical 则保留文本。</translation>
    </message>
    <message>
        <source>Columns with exponents after the letter D: %1. &apos;%2&apos; is read as %3. Add them to numeric to confirm this, or to categorical to keep the text.</source>
        <translation>用字母 D 表示指数的列：%1。“%2”读取为 %3。将这些列加入 numeric 即可确认，加入 categorical 则保留文本。</translation>
    </message>
    <message>
        <source>Columns with no-break spaces or invisible characters around numbers: %1. &apos;%2&apos; is read as %3. Add them to numeric to confirm this, or to categorical to keep the text.</source>
        <translation>数字前后有不间断空格或不可见字符的列：%1。“%2”读取为 %3。将这些列加入 numeric 即可确认，加入 categorical 则保留文本。</translation>
    </message>
    <message>
        <source>%1, row %2, column &quot;%3&quot;: &apos;%4&apos; does not occur in the training set (expected one of its categories), so it is treated as unknown; number of such cells: %5. Correct it, or put rows with this value into the training set.</source>
        <translation>%1，第 %2 行，列“%3”：“%4”没有出现在训练集中（应为该列的类别之一），因此视为未知类别；此类单元格共 %5 个。请更正，或将含有该值的行放入训练集。</translation>
    </message>
    <message>
        <source>Columns with dates or times: %1. Each different text, such as &apos;%2&apos;, is a category. Write them as numbers, such as days since the first date, or add them to ignore. Add them to categorical to confirm this.</source>
        <translation>含日期或时间的列：%1。每个不同的文本（例如“%2”）各是一个类别。请将它们写成数字，例如距第一个日期的天数，或将这些列加入 ignore。将这些列加入 categorical 即可确认。</translation>
    </message>
    <message>
        <source>Columns with ranges or limits of numbers: %1. Each different text, such as &apos;%2&apos;, is a category. Write a number, such as the middle of the range. Add them to categorical to confirm this.</source>
        <translation>含数字范围或界限的列：%1。每个不同的文本（例如“%2”）各是一个类别。请写成一个数字，例如范围的中点。将这些列加入 categorical 即可确认。</translation>
    </message>
    <message>
        <source>Columns with fractions: %1. Each different text, such as &apos;%2&apos;, is a category. Write decimal numbers. Add them to categorical to confirm this.</source>
        <translation>含分数的列：%1。每个不同的文本（例如“%2”）各是一个类别。请写成小数。将这些列加入 categorical 即可确认。</translation>
    </message>
    <message>
        <source>Columns with numbers in a notation that is not recognized: %1. Each different text, such as &apos;%2&apos;, is a category. Write numbers such as 1234.5. Add them to categorical to confirm this.</source>
        <translation>数字写法无法识别的列：%1。每个不同的文本（例如“%2”）各是一个类别。请写成 1234.5 这样的数字。将这些列加入 categorical 即可确认。</translation>
    </message>
    <message>
        <source>Columns with hexadecimal numbers: %1. Each different text, such as &apos;%2&apos;, is a category. Write decimal numbers. Add them to categorical to confirm this.</source>
        <translation>含十六进制数的列：%1。每个不同的文本（例如“%2”）各是一个类别。请写成十进制数。将这些列加入 categorical 即可确认。</translation>
    </message>
    <message>
        <source>Column &quot;%1&quot;: labels that differ only by case or spaces are different classes (with their rows: %2). Write them the same way in the file, or add the column to categorical to confirm this.</source>
        <translation>列“%1”：仅大小写或空格不同的标签是不同的类别（及其行数：%2）。请在文件中统一写法，或将该列加入 categorical 以确认。</translation>
    </message>
    <message>
        <source>Column &quot;%1&quot;: words that differ only by case or spaces are different categories (with their rows: %2). Write them the same way in the file, or add the column to categorical to confirm this.</source>
        <translation>列“%1”：仅大小写或空格不同的词是不同的类别值（及其行数：%2）。请在文件中统一写法，或将该列加入 categorical 以确认。</translation>
    </message>
    <message>
        <source>Add %1 to missing_words</source>
        <translation>将 %1 加入 missing_words</translation>
    </message>
    <message>
        <source>Columns without a value in the training set: %1. They have no %2, so 0 replaces their missing values. Add them to ignore.</source>
        <translation>在训练集中没有任何值的列：%1。它们没有 %2，因此缺失值替换为 0。请将这些列加入 ignore。</translation>
    </message>
    <message>
        <source>%1: %2 Add &quot;%3&quot; to missing_words if it stands for a missing value (number of such rows: %4).</source>
        <translation>%1：%2 如果“%3”表示缺失值，请将它加入 missing_words（此类行数：%4）。</translation>
    </message>
    <message>
        <source>Value &quot;%1&quot;: its standard deviation (%2) is below epsilon (%3), so standardize does not scale it, and it stays almost 0. Set epsilon to 0.</source>
        <translation>值“%1”：其标准差（%2）小于 epsilon（%3），因此 standardize 不缩放它，它几乎始终为 0。请将 epsilon 设为 0。</translation>
    </message>
    <message>
        <source>The project has no data source. Choose one, or use a table.</source>
        <translation>项目没有数据源。请选择一个，或使用表格。</translation>
    </message>
    <message>
        <source>Column &quot;%1&quot; only numbers the rows, but is an input. Add it to the list &quot;ignore&quot;, or to numeric to confirm it.</source>
        <translation>列“%1”只是给各行编号，却是输入。请将其加入列表“ignore”，或加入 numeric 以确认。</translation>
    </message>
    <message>
        <source>The targets of the validation set (%1 to %2) are all outside those of the training set (%3 to %4), as in a sorted table. Set split_seed to 1 to shuffle the samples before splitting, unless their order is that of time.</source>
        <translation>验证集的目标值（%1 到 %2）全部在训练集的目标值（%3 到 %4）之外，就像排过序的表格。请将 split_seed 设为 1，以便在划分前打乱样本，除非样本按时间排列。</translation>
    </message>
    <message>
        <source>The label is the last column, &quot;%1&quot;, because label is not set. By its name, &quot;%2&quot; may be the label. Set label.</source>
        <translation>标签是最后一列“%1”，因为没有设置 label。从列名看，“%2”可能是标签。请设置 label。</translation>
    </message>
    <message>
        <source>The split is stratified, but the class &quot;%1&quot; does not have a sample for each part (expected at least %2, got %3), so its results are not measured. Add samples, or remove the class.</source>
        <translation>划分是分层的，但类别“%1”的样本不够每个部分各一个（应至少为 %2，实际为 %3），因此无法测量它的结果。请添加样本，或移除该类别。</translation>
    </message>
    <message>
        <source>All weights of the training samples are 0 (expected some above 0), so nothing is learned. Correct them, or remove the weights.</source>
        <translation>训练样本的权重全部为 0（应有大于 0 的权重），因此什么也学不到。请更正权重，或移除权重。</translation>
    </message>
    <message>
        <source>Images next to the class folders of %1 are left out (%2): %3. Move them into the folder of their class.</source>
        <translation>%1 中位于类别文件夹旁边的图像被忽略（%2 个）：%3。请把它们移到所属类别的文件夹中。</translation>
    </message>
    <message>
        <source>The folder %1 has no images of these classes of other folders, so its results do not include them: %2. Add images.</source>
        <translation>文件夹 %1 中没有其他文件夹所含的这些类别的图像，因此其结果不包括它们：%2。请添加图像。</translation>
    </message>
    <message>
        <source>Delimiter between cells: one character, tab, or auto to detect it from the first rows. Several spaces count as one.</source>
        <translation>单元格之间的分隔符：一个字符、tab，或 auto（根据前几行识别）。多个空格算作一个。</translation>
    </message>
    <message>
        <source>Column &quot;%1&quot;: %2 and %3 have too many digits for double precision, so they become equal. Subtract a constant from the column in the file, or add it to the list &quot;ignore&quot;.</source>
        <translation>列“%1”：%2 和 %3 的位数超出双精度，因此变得相等。请在文件中将该列减去一个常数，或将其加入列表“ignore”。</translation>
    </message>
    <message>
        <source>%1, column &quot;%2&quot;: the unit &apos;%3&apos; differs from that of the training file, &apos;%4&apos;. The values are not converted. Convert them in the file.</source>
        <translation>%1，列“%2”：单位“%3”与训练文件的单位“%4”不同。数值不会换算。请在文件中换算。</translation>
    </message>
    <message>
        <source>scale multiplies the values of the images, which are up to %1 (expected 1/%1, got %2). Remove scale to divide by %1.</source>
        <translation>scale 会放大图像的数值，而这些数值最大为 %1（应为 1/%1，实际为 %2）。移除 scale 即可除以 %1。</translation>
    </message>
</context>
<context>
    <name>edit</name>
    <message>
        <source>Group into %1</source>
        <translation>编组为 %1</translation>
    </message>
    <message>
        <source>Ungroup %1</source>
        <translation>取消 %1 的编组</translation>
    </message>
    <message>
        <source>Set %1 of %2</source>
        <translation>设置 %2 的 %1</translation>
    </message>
    <message>
        <source>Set %1</source>
        <translation>设置 %1</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>删除 %1</translation>
    </message>
    <message>
        <source>Rename %1 to %2</source>
        <translation>将 %1 重命名为 %2</translation>
    </message>
    <message>
        <source>Name the layer %1</source>
        <translation>将层命名为 %1</translation>
    </message>
    <message>
        <source>Connect %1</source>
        <translation>连接 %1</translation>
    </message>
    <message>
        <source>Reset %1 of %2</source>
        <translation>重置 %2 的 %1</translation>
    </message>
    <message>
        <source>Add %1</source>
        <translation>添加 %1</translation>
    </message>
    <message>
        <source>Remove %1 layers</source>
        <translation>删除 %1 个层</translation>
    </message>
    <message>
        <source>Move %1</source>
        <translation>移动 %1</translation>
    </message>
    <message>
        <source>Set the memory limit</source>
        <translation>设置内存上限</translation>
    </message>
    <message>
        <source>Set the batch size to %1</source>
        <translation>将批大小设为 %1</translation>
    </message>
    <message>
        <source>Recompute to fit the memory limit</source>
        <translation>启用重计算以满足内存上限</translation>
    </message>
    <message>
        <source>Split batches into %1 micro-batches</source>
        <translation>将每批分成 %1 个微批次</translation>
    </message>
    <message>
        <source>Choose the algorithm of %1 automatically</source>
        <translation>自动选择 %1 的算法</translation>
    </message>
    <message>
        <source>Choose %2 for %1</source>
        <translation>为 %1 选择 %2</translation>
    </message>
    <message>
        <source>Add a transform</source>
        <translation>添加变换</translation>
    </message>
    <message>
        <source>Set source to %1</source>
        <translation>将数据源设为 %1</translation>
    </message>
    <message>
        <source>Use the table %1</source>
        <translation>使用表格 %1</translation>
    </message>
    <message>
        <source>Set the role of %1</source>
        <translation>设置 %1 的角色</translation>
    </message>
    <message>
        <source>Build a network that predicts %1</source>
        <translation>构建预测 %1 的网络</translation>
    </message>
    <message>
        <source>Remove a transform</source>
        <translation>移除变换</translation>
    </message>
</context>
<context>
    <name>energy</name>
    <message>
        <source>the run has no states of its devices</source>
        <translation>此次运行没有设备状态</translation>
    </message>
    <message>
        <source>%1 is simulated</source>
        <translation>%1 是模拟设备</translation>
    </message>
    <message>
        <source>%1 does not report its power</source>
        <translation>%1 不报告功率</translation>
    </message>
    <message>
        <source>the run was continued, and earlier parts are missing</source>
        <translation>运行曾被继续，缺少之前部分的数据</translation>
    </message>
    <message>
        <source>the devices of other processes are missing</source>
        <translation>缺少其他进程的设备</translation>
    </message>
</context>
<context>
    <name>evaluation</name>
    <message>
        <source>there are too many probabilities (%1, at most %2)</source>
        <translation>概率的数量过多（%1 个，最多 %2 个）</translation>
    </message>
    <message>
        <source>no sample counts, because there are none or all are ignored</source>
        <translation>没有计入的样本（没有样本，或全部被忽略）</translation>
    </message>
    <message>
        <source>no sample belongs to this class</source>
        <translation>没有样本属于该类别</translation>
    </message>
    <message>
        <source>all samples belong to this class</source>
        <translation>所有样本都属于该类别</translation>
    </message>
    <message>
        <source>some values are NaN or infinite</source>
        <translation>部分值为 NaN 或无穷大</translation>
    </message>
    <message>
        <source>some values are not between 0 and 1, so they are not probabilities</source>
        <translation>部分值不在 0 到 1 之间，因此不是概率</translation>
    </message>
    <message>
        <source>it needs at least two samples</source>
        <translation>至少需要两个样本</translation>
    </message>
    <message>
        <source>all true values are equal</source>
        <translation>所有真实值都相等</translation>
    </message>
    <message>
        <source>its loss, %1, does not compare values</source>
        <translation>其损失函数 %1 不比较数值</translation>
    </message>
    <message>
        <source>it predicts a class for each position of a sample</source>
        <translation>它为样本的每个位置预测一个类别</translation>
    </message>
    <message>
        <source>some positions of its samples may be masked</source>
        <translation>其样本的部分位置可能被掩码</translation>
    </message>
    <message>
        <source>its predictions need too much memory (%1, at most %2)</source>
        <translation>其预测结果需要的内存过多（%1，最多 %2）</translation>
    </message>
    <message>
        <source>its targets are not classes</source>
        <translation>其目标不是类别</translation>
    </message>
</context>
<context>
    <name>initializer</name>
    <message>
        <source>Random seed; by default the project&apos;s seed</source>
        <translation>随机种子；默认使用项目的种子</translation>
    </message>
    <message>
        <source>Glorot (Xavier) uniform: uniform distribution, scaled by the number of inputs and outputs</source>
        <translation>Glorot（Xavier）均匀分布：按输入数和输出数缩放</translation>
    </message>
    <message>
        <source>Glorot (Xavier) normal: truncated normal distribution, scaled by the number of inputs and outputs</source>
        <translation>Glorot（Xavier）正态分布：截断正态分布，按输入数和输出数缩放</translation>
    </message>
    <message>
        <source>He uniform: uniform distribution, scaled for relu by the number of inputs</source>
        <translation>He 均匀分布：针对 relu，按输入数缩放</translation>
    </message>
    <message>
        <source>He normal: truncated normal distribution, scaled for relu by the number of inputs</source>
        <translation>He 正态分布：截断正态分布，针对 relu，按输入数缩放</translation>
    </message>
    <message>
        <source>LeCun uniform: uniform distribution, scaled by the number of inputs</source>
        <translation>LeCun 均匀分布：按输入数缩放</translation>
    </message>
    <message>
        <source>LeCun normal: truncated normal distribution, scaled by the number of inputs</source>
        <translation>LeCun 正态分布：截断正态分布，按输入数缩放</translation>
    </message>
    <message>
        <source>All zeros</source>
        <translation>全部为 0</translation>
    </message>
    <message>
        <source>All ones</source>
        <translation>全部为 1</translation>
    </message>
    <message>
        <source>A constant value</source>
        <translation>常数</translation>
    </message>
    <message>
        <source>Value of all weights</source>
        <translation>所有权重的值</translation>
    </message>
    <message>
        <source>Uniform distribution between two values</source>
        <translation>两个值之间的均匀分布</translation>
    </message>
    <message>
        <source>Lower bound</source>
        <translation>下限</translation>
    </message>
    <message>
        <source>Upper bound</source>
        <translation>上限</translation>
    </message>
    <message>
        <source>Normal distribution</source>
        <translation>正态分布</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>均值</translation>
    </message>
    <message>
        <source>Standard deviation</source>
        <translation>标准差</translation>
    </message>
    <message>
        <source>Normal distribution, truncated at two standard deviations</source>
        <translation>截断正态分布，在两倍标准差处截断</translation>
    </message>
    <message>
        <source>Random values whose variance is scaled by the number of inputs or outputs, or by their mean</source>
        <translation>随机值，其方差按输入数、输出数或两者的平均值缩放</translation>
    </message>
    <message>
        <source>Scaling factor of the variance</source>
        <translation>方差的缩放系数</translation>
    </message>
    <message>
        <source>Divisor of the variance: the number of inputs, the number of outputs, or their mean</source>
        <translation>方差的除数：输入数、输出数，或两者的平均值</translation>
    </message>
    <message>
        <source>Distribution of the random values</source>
        <translation>随机值的分布</translation>
    </message>
    <message>
        <source>Orthogonal matrix, which preserves the magnitude of signals</source>
        <translation>正交矩阵，可保持信号的幅度</translation>
    </message>
    <message>
        <source>Factor by which the orthogonal matrix is multiplied</source>
        <translation>正交矩阵的缩放系数</translation>
    </message>
    <message>
        <source>Identity matrix</source>
        <translation>单位矩阵</translation>
    </message>
    <message>
        <source>Factor by which the identity matrix is multiplied</source>
        <translation>单位矩阵的缩放系数</translation>
    </message>
    <message>
        <source>Basis of the short-time Fourier transform, for a Conv1D with one input channel</source>
        <translation>短时傅里叶变换的基，用于单输入通道的 Conv1D</translation>
    </message>
    <message>
        <source>Real or imaginary part of the transform</source>
        <translation>变换的实部或虚部</translation>
    </message>
    <message>
        <source>Window function of a frame; none or boxcar: a rectangular window</source>
        <translation>帧的窗函数；无或 boxcar 表示矩形窗</translation>
    </message>
    <message>
        <source>Scaling of the window: density or spectrum; none: no scaling</source>
        <translation>窗的缩放方式：density 或 spectrum；无：不缩放</translation>
    </message>
    <message>
        <source>Use a periodic window instead of a symmetric one</source>
        <translation>使用周期窗，而不是对称窗</translation>
    </message>
</context>
<context>
    <name>kernel</name>
    <message>
        <source>own kernel</source>
        <translation>自有内核</translation>
    </message>
    <message>
        <source>cuDNN has no attention in float32</source>
        <translation>cuDNN 没有 float32 注意力</translation>
    </message>
    <message>
        <source>the compute capability of the card is below 8.0</source>
        <translation>显卡的计算能力低于 8.0</translation>
    </message>
    <message>
        <source>the layer has a mask</source>
        <translation>该层有掩码</translation>
    </message>
    <message>
        <source>the layer has dropout</source>
        <translation>该层有随机失活</translation>
    </message>
    <message>
        <source>the layer has groups of heads</source>
        <translation>该层的头分组</translation>
    </message>
    <message>
        <source>an operand is empty</source>
        <translation>有操作数为空</translation>
    </message>
    <message>
        <source>a workspace of %1 exceeds the limit of %2</source>
        <translation>%1 的工作区超过上限 %2</translation>
    </message>
    <message>
        <source>cuDNN is not installed</source>
        <translation>未安装 cuDNN</translation>
    </message>
    <message>
        <source>cuDNN has no engine for this shape</source>
        <translation>cuDNN 没有适用于该形状的引擎</translation>
    </message>
    <message>
        <source>cuDNN fused</source>
        <translation>cuDNN 融合</translation>
    </message>
    <message>
        <source>cuDNN fused, not deterministic</source>
        <translation>cuDNN 融合，不确定</translation>
    </message>
    <message>
        <source>cuDNN fused in %1 parts</source>
        <translation>cuDNN 融合，分 %1 部分</translation>
    </message>
    <message>
        <source>cuDNN fused in %1 parts, not deterministic</source>
        <translation>cuDNN 融合，分 %1 部分，不确定</translation>
    </message>
</context>
<context>
    <name>layer check</name>
    <message>
        <source>%1 on %2 equals the reference: all values are equal</source>
        <translation>%2 上的 %1 与参考设备一致：所有数值相同</translation>
    </message>
    <message>
        <source>%1 on %2 equals the reference: the largest difference is %3 of the largest value (%4)</source>
        <translation>%2 上的 %1 与参考设备一致：最大差异为最大值的 %3（%4）</translation>
    </message>
    <message>
        <source>%1 on %2 differs from the reference: the %3 differs by %4 of its largest value (expected at most %5)</source>
        <translation>%2 上的 %1 与参考设备不一致：%3 的差异为其最大值的 %4（应不超过 %5）</translation>
    </message>
</context>
<context>
    <name>layer health</name>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>fine</source>
        <translation>正常</translation>
    </message>
    <message>
        <source>exploding</source>
        <translation>爆炸</translation>
    </message>
    <message>
        <source>dead</source>
        <translation>失活</translation>
    </message>
    <message>
        <source>saturated</source>
        <translation>饱和</translation>
    </message>
    <message>
        <source>vanishing</source>
        <translation>消失</translation>
    </message>
    <message>
        <source>Lower the learning rate, clip the gradients, or check the data.</source>
        <translation>请降低学习率、裁剪梯度，或检查数据。</translation>
    </message>
    <message>
        <source>%1 weights are NaN or infinite</source>
        <translation>%1 个权重为 NaN 或无穷大</translation>
    </message>
    <message>
        <source>%1 gradients are NaN or infinite</source>
        <translation>%1 个梯度为 NaN 或无穷大</translation>
    </message>
    <message>
        <source>%1 outputs are NaN or infinite</source>
        <translation>%1 个输出为 NaN 或无穷大</translation>
    </message>
    <message>
        <source>Lower the learning rate, or clip the gradients.</source>
        <translation>请降低学习率，或裁剪梯度。</translation>
    </message>
    <message>
        <source>%1 of %2 units have the same output for all samples</source>
        <translation>%2 个单元中有 %1 个对所有样本的输出相同</translation>
    </message>
    <message>
        <source>Lower the learning rate, use leaky_relu or elu as activation, or use other initial weights.</source>
        <translation>请降低学习率，改用 leaky_relu 或 elu 作为激活函数，或改用其他初始权重。</translation>
    </message>
    <message>
        <source>%1 of the outputs are where %2 has nearly no slope</source>
        <translation>%1 的输出位于 %2 几乎没有斜率之处</translation>
    </message>
    <message>
        <source>Normalize the inputs of the layer, lower the learning rate, use smaller initial weights, or use relu as activation.</source>
        <translation>请对该层的输入做归一化、降低学习率、使用更小的初始权重，或改用 relu 作为激活函数。</translation>
    </message>
    <message>
        <source>The mean gradient is %1, and the largest one of a layer is %2</source>
        <translation>平均梯度为 %1，而各层中最大的为 %2</translation>
    </message>
    <message>
        <source>Use relu instead of sigmoid or tanh, add BatchNormalization, or add connections that skip layers.</source>
        <translation>请用 relu 代替 sigmoid 或 tanh，加入 BatchNormalization，或加入跳过若干层的连接。</translation>
    </message>
    <message>
        <source>A step changes the weights by %1 of their norm</source>
        <translation>每步使权重改变其范数的 %1</translation>
    </message>
    <message>
        <source>%1 of the outputs are 0</source>
        <translation>%1 的输出为 0</translation>
    </message>
    <message>
        <source>A step changes the weights by %1 of their norm (median of the latest samples; healthy: about 0.1%)</source>
        <translation>每步使权重改变其范数的 %1（最近几次采样的中位数；正常值：约 0.1%）</translation>
    </message>
</context>
<context>
    <name>layer sampling</name>
    <message>
        <source>the network has no layer with an output</source>
        <translation>网络中没有产生输出的层</translation>
    </message>
    <message>
        <source>the network has too many layers or weights (%1 layers)</source>
        <translation>网络的层或权重过多（%1 层）</translation>
    </message>
    <message>
        <source>the name of a layer has more than 4096 bytes</source>
        <translation>有一层的名称超过 4096 字节</translation>
    </message>
    <message>
        <source>they need %1 of memory, and the run leaves %2</source>
        <translation>它们需要 %1 内存，而运行只剩 %2</translation>
    </message>
    <message>
        <source>the program that computes them cannot be built (%1)</source>
        <translation>无法构建计算它们的程序（%1）</translation>
    </message>
    <message>
        <source>%1</source>
        <translation>%1</translation>
    </message>
    <message>
        <source>a sample would take more than 3% of the time of only %1 steps</source>
        <translation>运行只有 %1 步，采样一次就会超过其时间的 3%</translation>
    </message>
</context>
<context>
    <name>layers</name>
    <message>
        <source>A group of layers, repeated one or more times in sequence</source>
        <translation>一组层，依次重复一次或多次</translation>
    </message>
    <message>
        <source>Number of repetitions in sequence, each with its own weights</source>
        <translation>依次重复的次数，每次重复都有各自的权重</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Layers of the Block: the first takes the Block&apos;s input, the last returns its output</source>
        <translation>Block 中的层：第一层接收 Block 的输入，最后一层给出其输出</translation>
    </message>
    <message>
        <source>Applies an activation function to each value</source>
        <translation>对每个值应用激活函数</translation>
    </message>
    <message>
        <source>Adds its inputs, as in a residual connection</source>
        <translation>将各输入相加，例如用于残差连接</translation>
    </message>
    <message>
        <source>2D average pooling: takes the average of each window</source>
        <translation>二维平均池化：取每个窗口的平均值</translation>
    </message>
    <message>
        <source>Normalizes each channel over the batch, then applies a learned scale and offset</source>
        <translation>沿批次归一化每个通道，再应用可学习的缩放和偏移</translation>
    </message>
    <message>
        <source>Dimension of the channels; -1 is the last dimension</source>
        <translation>通道所在的维度；-1 为最后一维</translation>
    </message>
    <message>
        <source>Axis</source>
        <translation>轴</translation>
    </message>
    <message>
        <source>Momentum of the moving mean and variance</source>
        <translation>移动均值和移动方差的动量</translation>
    </message>
    <message>
        <source>Momentum</source>
        <translation>动量</translation>
    </message>
    <message>
        <source>Small number added to the variance to avoid division by zero</source>
        <translation>加到方差上的小常数，避免除以零</translation>
    </message>
    <message>
        <source>Epsilon</source>
        <translation>Epsilon</translation>
    </message>
    <message>
        <source>Add the learned offset beta</source>
        <translation>加上可学习的偏移 beta</translation>
    </message>
    <message>
        <source>Center</source>
        <translation>使用偏移</translation>
    </message>
    <message>
        <source>Multiply by the learned scale gamma</source>
        <translation>乘以可学习的缩放系数 gamma</translation>
    </message>
    <message>
        <source>Scale</source>
        <translation>缩放</translation>
    </message>
    <message>
        <source>Beta initializer</source>
        <translation>Beta 初始化方法</translation>
    </message>
    <message>
        <source>Gamma initializer</source>
        <translation>Gamma 初始化方法</translation>
    </message>
    <message>
        <source>Moving mean initializer</source>
        <translation>移动均值初始化方法</translation>
    </message>
    <message>
        <source>Moving variance initializer</source>
        <translation>移动方差初始化方法</translation>
    </message>
    <message>
        <source>Beta regularizer</source>
        <translation>Beta 正则化</translation>
    </message>
    <message>
        <source>Gamma regularizer</source>
        <translation>Gamma 正则化</translation>
    </message>
    <message>
        <source>Concatenates its inputs along a dimension</source>
        <translation>沿某一维度拼接各输入</translation>
    </message>
    <message>
        <source>Dimension to concatenate along; 0 is the batch, -1 the last dimension</source>
        <translation>沿此维度拼接；0 为批维度，-1 为最后一维</translation>
    </message>
    <message>
        <source>2D convolution: small filters slide over an image and detect patterns</source>
        <translation>二维卷积：小滤波器在图像上滑动，提取局部特征</translation>
    </message>
    <message>
        <source>Number of filters, which is the number of output channels</source>
        <translation>滤波器的个数，即输出的通道数</translation>
    </message>
    <message>
        <source>Filters</source>
        <translation>滤波器数</translation>
    </message>
    <message>
        <source>Number of groups that the channels are split into; each group is convolved separately</source>
        <translation>通道的分组数；各组分别卷积</translation>
    </message>
    <message>
        <source>Groups</source>
        <translation>分组数</translation>
    </message>
    <message>
        <source>Kernel initializer</source>
        <translation>核初始化方法</translation>
    </message>
    <message>
        <source>Bias initializer</source>
        <translation>偏置初始化方法</translation>
    </message>
    <message>
        <source>Kernel regularizer</source>
        <translation>核正则化</translation>
    </message>
    <message>
        <source>Bias regularizer</source>
        <translation>偏置正则化</translation>
    </message>
    <message>
        <source>Fully connected layer: every output is a weighted sum of all inputs</source>
        <translation>全连接层：每个输出都是所有输入的加权和</translation>
    </message>
    <message>
        <source>Number of outputs</source>
        <translation>输出的个数</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>单元数</translation>
    </message>
    <message>
        <source>Depthwise 2D convolution: filters each channel separately</source>
        <translation>二维逐通道卷积：分别对每个通道滤波</translation>
    </message>
    <message>
        <source>Number of depthwise filters per input channel</source>
        <translation>每个输入通道的逐通道滤波器数</translation>
    </message>
    <message>
        <source>Depth multiplier</source>
        <translation>深度乘数</translation>
    </message>
    <message>
        <source>Randomly sets values to zero during training, to reduce overfitting</source>
        <translation>训练时随机将部分值置零，以减轻过拟合</translation>
    </message>
    <message>
        <source>Fraction of the values to drop</source>
        <translation>要丢弃的值的比例</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>丢弃率</translation>
    </message>
    <message>
        <source>Random seed; by default the project&apos;s seed</source>
        <translation>随机种子；默认使用项目的种子</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>Update the weights of this layer during training</source>
        <translation>训练时更新该层的权重</translation>
    </message>
    <message>
        <source>Trainable</source>
        <translation>可训练</translation>
    </message>
    <message>
        <source>Factor by which the learning rate of this layer is multiplied</source>
        <translation>该层学习率的倍率</translation>
    </message>
    <message>
        <source>Learning rate factor</source>
        <translation>学习率系数</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Activation function of the output</source>
        <translation>输出的激活函数</translation>
    </message>
    <message>
        <source>Activation</source>
        <translation>激活函数</translation>
    </message>
    <message>
        <source>Add a bias to the output</source>
        <translation>给输出加上偏置</translation>
    </message>
    <message>
        <source>Bias</source>
        <translation>偏置</translation>
    </message>
    <message>
        <source>How to initialize these weights</source>
        <translation>这些权重的初始化方法</translation>
    </message>
    <message>
        <source>Penalty on the weights, added to the loss</source>
        <translation>对权重的惩罚，加到损失上</translation>
    </message>
    <message>
        <source>Height and width of the convolution window</source>
        <translation>卷积窗口的高度和宽度</translation>
    </message>
    <message>
        <source>Kernel size</source>
        <translation>卷积核大小</translation>
    </message>
    <message>
        <source>Height and width of the pooling window</source>
        <translation>池化窗口的高度和宽度</translation>
    </message>
    <message>
        <source>Pool size</source>
        <translation>池化窗口大小</translation>
    </message>
    <message>
        <source>Step size of the pooling window; by default pool_size</source>
        <translation>池化窗口的步幅；默认等于 pool_size</translation>
    </message>
    <message>
        <source>Step size of the convolution window</source>
        <translation>卷积窗口的步幅</translation>
    </message>
    <message>
        <source>Strides</source>
        <translation>步幅</translation>
    </message>
    <message>
        <source>valid: no padding; same: padding that keeps the size if the stride is 1</source>
        <translation>valid：不填充；same：填充边缘，步幅为 1 时保持大小不变</translation>
    </message>
    <message>
        <source>Padding</source>
        <translation>填充</translation>
    </message>
    <message>
        <source>Spacing between the elements of the filter; 1 is an ordinary convolution</source>
        <translation>滤波器相邻元素的间距；1 为普通卷积</translation>
    </message>
    <message>
        <source>Dilation rate</source>
        <translation>空洞率</translation>
    </message>
    <message>
        <source>Flattens each sample into a vector</source>
        <translation>将每个样本展平为向量</translation>
    </message>
    <message>
        <source>Takes the average of each channel</source>
        <translation>取每个通道的平均值</translation>
    </message>
    <message>
        <source>Keep height and width as dimensions of size 1</source>
        <translation>保留高度和宽度这两个维度，其大小为 1</translation>
    </message>
    <message>
        <source>Keep dimensions</source>
        <translation>保留维度</translation>
    </message>
    <message>
        <source>Entry point of the data into the network</source>
        <translation>数据进入网络的入口</translation>
    </message>
    <message>
        <source>Shape of one sample without the batch dimension, such as [height, width, channels]</source>
        <translation>单个样本的形状，不含批维度，例如 [height, width, channels]</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Data type of the input</source>
        <translation>输入的数据类型</translation>
    </message>
    <message>
        <source>Data type</source>
        <translation>数据类型</translation>
    </message>
    <message>
        <source>2D max pooling: takes the maximum of each window</source>
        <translation>二维最大池化：取每个窗口的最大值</translation>
    </message>
    <message>
        <source>Multiplies its inputs element by element, as in a gate</source>
        <translation>将各输入逐元素相乘，例如用于门控</translation>
    </message>
    <message>
        <source>Multiplies by a scale and adds an offset, for example to map 0..255 to 0..1</source>
        <translation>乘以缩放系数并加上偏移，例如将 0..255 映射到 0..1</translation>
    </message>
    <message>
        <source>Factor</source>
        <translation>系数</translation>
    </message>
    <message>
        <source>Offset</source>
        <translation>偏移</translation>
    </message>
    <message>
        <source>Reshapes each sample</source>
        <translation>改变每个样本的形状</translation>
    </message>
    <message>
        <source>Shape of a sample; one entry may be -1, and its size is then inferred</source>
        <translation>样本的形状；其中一项可以为 -1，其大小将自动推断</translation>
    </message>
    <message>
        <source>Target shape</source>
        <translation>目标形状</translation>
    </message>
    <message>
        <source>Averages its inputs</source>
        <translation>取各输入的平均值</translation>
    </message>
    <message>
        <source>1D average pooling: takes the average of each window</source>
        <translation>一维平均池化：取每个窗口的平均值</translation>
    </message>
    <message>
        <source>1D convolution: small filters slide over a sequence and detect patterns</source>
        <translation>一维卷积：小滤波器在序列上滑动，提取局部特征</translation>
    </message>
    <message>
        <source>Transposed 1D convolution, which lengthens a sequence</source>
        <translation>一维转置卷积，可增加序列的长度</translation>
    </message>
    <message>
        <source>Transposed 2D convolution, which enlarges an image</source>
        <translation>二维转置卷积，可放大图像</translation>
    </message>
    <message>
        <source>Crops time steps from both ends of a sequence</source>
        <translation>裁去序列首尾的时间步</translation>
    </message>
    <message>
        <source>Number of elements to crop on each side</source>
        <translation>每侧裁去的元素个数</translation>
    </message>
    <message>
        <source>Cropping</source>
        <translation>裁剪</translation>
    </message>
    <message>
        <source>Crops an image along height and width</source>
        <translation>沿高度和宽度裁剪图像</translation>
    </message>
    <message>
        <source>Crops a volume along depth, height and width</source>
        <translation>沿深度、高度和宽度裁剪体数据</translation>
    </message>
    <message>
        <source>Depthwise 1D convolution: filters each channel separately</source>
        <translation>一维逐通道卷积：分别对每个通道滤波</translation>
    </message>
    <message>
        <source>Dot product of two inputs along a dimension</source>
        <translation>两个输入沿某一维度的点积</translation>
    </message>
    <message>
        <source>Dimension to sum over: one for both inputs, or one for each; 0 is the batch, -1 the last dimension</source>
        <translation>要求和的维度：两个输入共用一个，或每个输入各一个；0 为批维度，-1 为最后一维</translation>
    </message>
    <message>
        <source>Axes</source>
        <translation>轴</translation>
    </message>
    <message>
        <source>Scale both vectors to length 1 first, so that the result is their cosine similarity</source>
        <translation>先将两个向量缩放到长度 1，使结果为余弦相似度</translation>
    </message>
    <message>
        <source>Normalize</source>
        <translation>归一化</translation>
    </message>
    <message>
        <source>Exponential linear unit</source>
        <translation>指数线性单元</translation>
    </message>
    <message>
        <source>Scale for negative values: y approaches -alpha</source>
        <translation>负值部分的缩放系数：y 趋近于 -alpha</translation>
    </message>
    <message>
        <source>Alpha</source>
        <translation>Alpha</translation>
    </message>
    <message>
        <source>Length of the convolution window</source>
        <translation>卷积窗口的长度</translation>
    </message>
    <message>
        <source>Length of the pooling window</source>
        <translation>池化窗口的长度</translation>
    </message>
    <message>
        <source>valid: no padding; same: zero padding at both ends; causal: zero padding only at the start, so that no time step depends on later ones</source>
        <translation>valid：不填充；same：两端补零；causal：只在开头补零，使任何时间步都不依赖后面的时间步</translation>
    </message>
    <message>
        <source>Keep the reduced dimensions with size 1</source>
        <translation>保留被归约的维度，其大小为 1</translation>
    </message>
    <message>
        <source>Takes the maximum of each channel</source>
        <translation>取每个通道的最大值</translation>
    </message>
    <message>
        <source>Normalizes groups of channels within each sample</source>
        <translation>在每个样本内按通道组归一化</translation>
    </message>
    <message>
        <source>Number of groups that the channels are split into; -1: one group per channel</source>
        <translation>通道的分组数；-1：每个通道一组</translation>
    </message>
    <message>
        <source>Normalizes each sample separately, then applies a learned scale and offset</source>
        <translation>对每个样本单独归一化，再应用可学习的缩放和偏移</translation>
    </message>
    <message>
        <source>Dimensions to normalize over; -1 is the last dimension</source>
        <translation>沿这些维度归一化；-1 为最后一维</translation>
    </message>
    <message>
        <source>Rectified linear unit with a small slope for negative values</source>
        <translation>带泄漏的修正线性单元：负值保留较小的斜率</translation>
    </message>
    <message>
        <source>Slope for negative values</source>
        <translation>负值部分的斜率</translation>
    </message>
    <message>
        <source>Negative slope</source>
        <translation>负斜率</translation>
    </message>
    <message>
        <source>1D max pooling: takes the maximum of each window</source>
        <translation>一维最大池化：取每个窗口的最大值</translation>
    </message>
    <message>
        <source>Takes the element-wise maximum of its inputs</source>
        <translation>逐元素取各输入的最大值</translation>
    </message>
    <message>
        <source>Takes the element-wise minimum of its inputs</source>
        <translation>逐元素取各输入的最小值</translation>
    </message>
    <message>
        <source>Dimensions with a separate mean and variance; none: one mean and variance for all values</source>
        <translation>沿这些维度分别计算均值和方差；无：所有值共用一个均值和方差</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>均值</translation>
    </message>
    <message>
        <source>Variance</source>
        <translation>方差</translation>
    </message>
    <message>
        <source>Undo the normalization: map values back to the given mean and variance</source>
        <translation>反向归一化：按给定的均值和方差还原数值</translation>
    </message>
    <message>
        <source>Invert</source>
        <translation>反归一化</translation>
    </message>
    <message>
        <source>Extra size at the end of the output; must be less than strides</source>
        <translation>输出末尾额外增加的大小；必须小于步幅</translation>
    </message>
    <message>
        <source>Output padding</source>
        <translation>输出填充</translation>
    </message>
    <message>
        <source>Reorders the dimensions of each sample</source>
        <translation>重新排列每个样本的维度</translation>
    </message>
    <message>
        <source>New order of the dimensions; 1 is the first dimension of a sample</source>
        <translation>维度的新顺序；1 为样本的第一个维度</translation>
    </message>
    <message>
        <source>Dimension order</source>
        <translation>维度顺序</translation>
    </message>
    <message>
        <source>Moves channels into height and width, which enlarges the image</source>
        <translation>将通道重排到高度和宽度上，从而放大图像</translation>
    </message>
    <message>
        <source>Factor for the height and the width of the image</source>
        <translation>图像高度和宽度的放大倍数</translation>
    </message>
    <message>
        <source>Rectified linear unit with a learned slope for negative values</source>
        <translation>带参数的修正线性单元：负值部分的斜率可学习</translation>
    </message>
    <message>
        <source>Alpha initializer</source>
        <translation>Alpha 初始化方法</translation>
    </message>
    <message>
        <source>Alpha regularizer</source>
        <translation>Alpha 正则化</translation>
    </message>
    <message>
        <source>Dimensions that share one slope, such as [1, 2] for height and width of an image</source>
        <translation>共用一个斜率的维度，例如 [1, 2] 为图像的高度和宽度</translation>
    </message>
    <message>
        <source>Shared axes</source>
        <translation>共享轴</translation>
    </message>
    <message>
        <source>Rectified linear unit: negative values become zero</source>
        <translation>修正线性单元：负值变为零</translation>
    </message>
    <message>
        <source>Maximum activation value; by default unlimited</source>
        <translation>激活值的上限；默认不限制</translation>
    </message>
    <message>
        <source>Maximum value</source>
        <translation>最大值</translation>
    </message>
    <message>
        <source>Slope for values below the threshold</source>
        <translation>低于阈值部分的斜率</translation>
    </message>
    <message>
        <source>Values at or above the threshold pass unchanged</source>
        <translation>不小于阈值的值保持不变</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>阈值</translation>
    </message>
    <message>
        <source>Repeats a vector to form a sequence</source>
        <translation>重复一个向量以组成序列</translation>
    </message>
    <message>
        <source>Number of repetitions</source>
        <translation>重复的次数</translation>
    </message>
    <message>
        <source>Repetitions</source>
        <translation>重复次数</translation>
    </message>
    <message>
        <source>Resizes images</source>
        <translation>调整图像大小</translation>
    </message>
    <message>
        <source>Height of the output</source>
        <translation>输出的高度</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>高度</translation>
    </message>
    <message>
        <source>Width of the output</source>
        <translation>输出的宽度</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>宽度</translation>
    </message>
    <message>
        <source>Interpolation</source>
        <translation>插值</translation>
    </message>
    <message>
        <source>Normalizes each sample by its root mean square, then applies a learned scale</source>
        <translation>用均方根归一化每个样本，再应用可学习的缩放</translation>
    </message>
    <message>
        <source>Small number added to the mean square to avoid division by zero</source>
        <translation>加到均方值上的小常数，避免除以零</translation>
    </message>
    <message>
        <source>Separable 1D convolution: filters each channel separately, then mixes the channels</source>
        <translation>一维可分离卷积：先分别对每个通道滤波，再混合通道</translation>
    </message>
    <message>
        <source>Depthwise initializer</source>
        <translation>逐通道核初始化方法</translation>
    </message>
    <message>
        <source>Pointwise initializer</source>
        <translation>逐点核初始化方法</translation>
    </message>
    <message>
        <source>Depthwise regularizer</source>
        <translation>逐通道核正则化</translation>
    </message>
    <message>
        <source>Pointwise regularizer</source>
        <translation>逐点核正则化</translation>
    </message>
    <message>
        <source>Separable 2D convolution: filters each channel separately, then mixes the channels</source>
        <translation>二维可分离卷积：先分别对每个通道滤波，再混合通道</translation>
    </message>
    <message>
        <source>Turns values into probabilities that sum to 1</source>
        <translation>将值变为总和为 1 的概率</translation>
    </message>
    <message>
        <source>Dimension or dimensions along which values sum to 1; 0 is the batch, -1 the last dimension</source>
        <translation>沿这一个或多个维度归一化，使各值之和为 1；0 为批维度，-1 为最后一维</translation>
    </message>
    <message>
        <source>Randomly sets whole channels to zero during training</source>
        <translation>训练时随机将整个通道置零</translation>
    </message>
    <message>
        <source>Fraction of the channels to drop</source>
        <translation>要丢弃的通道的比例</translation>
    </message>
    <message>
        <source>Subtracts the second input from the first</source>
        <translation>从第一个输入减去第二个输入</translation>
    </message>
    <message>
        <source>Scales vectors to length 1</source>
        <translation>将向量缩放到长度 1</translation>
    </message>
    <message>
        <source>Upsamples a sequence by repeating its time steps</source>
        <translation>重复各时间步，对序列进行上采样</translation>
    </message>
    <message>
        <source>Upsampling factor of each dimension</source>
        <translation>各维的上采样倍数</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Upsamples an image along height and width</source>
        <translation>沿高度和宽度对图像进行上采样</translation>
    </message>
    <message>
        <source>Upsamples a volume by repeating its elements</source>
        <translation>重复各元素，对体数据进行上采样</translation>
    </message>
    <message>
        <source>Pads a sequence with zeros</source>
        <translation>在序列两端补零</translation>
    </message>
    <message>
        <source>Number of zeros to add on each side</source>
        <translation>每侧补零的个数</translation>
    </message>
    <message>
        <source>Pads an image with zeros</source>
        <translation>在图像边缘补零</translation>
    </message>
    <message>
        <source>Pads a volume with zeros</source>
        <translation>在体数据边缘补零</translation>
    </message>
    <message>
        <source>Additive (Bahdanau) attention to all time steps of another sequence</source>
        <translation>加性（Bahdanau）注意力，关注另一个序列的所有时间步</translation>
    </message>
    <message>
        <source>Multiply the features by learned factors</source>
        <translation>将特征乘以可学习的系数</translation>
    </message>
    <message>
        <source>Dropout that keeps mean and variance, for use with SELU</source>
        <translation>保持均值和方差的随机失活，与 SELU 配合使用</translation>
    </message>
    <message>
        <source>Dot-product attention: each query step attends to all time steps of another sequence</source>
        <translation>点积注意力：查询的每个时间步关注另一个序列的所有时间步</translation>
    </message>
    <message>
        <source>Multiply the scores by a learned factor</source>
        <translation>将注意力分数乘以可学习的系数</translation>
    </message>
    <message>
        <source>dot: dot product of query and key; concat: tanh of their sum</source>
        <translation>dot：查询与键的点积；concat：二者之和的 tanh</translation>
    </message>
    <message>
        <source>Score mode</source>
        <translation>分数计算方式</translation>
    </message>
    <message>
        <source>Fraction of the attention weights to drop during training</source>
        <translation>训练时要丢弃的注意力权重的比例</translation>
    </message>
    <message>
        <source>Dropout</source>
        <translation>随机失活</translation>
    </message>
    <message>
        <source>Prevent each time step from attending to later ones</source>
        <translation>禁止每个时间步关注其后的时间步</translation>
    </message>
    <message>
        <source>Use causal mask</source>
        <translation>使用因果掩码</translation>
    </message>
    <message>
        <source>3D average pooling: takes the average of each window</source>
        <translation>三维平均池化：取每个窗口的平均值</translation>
    </message>
    <message>
        <source>Depth, height and width of the pooling window</source>
        <translation>池化窗口的深度、高度和宽度</translation>
    </message>
    <message>
        <source>Crops the center of an image</source>
        <translation>裁剪出图像的中央部分</translation>
    </message>
    <message>
        <source>3D convolution: small filters slide through a volume and detect patterns</source>
        <translation>三维卷积：小滤波器在体数据中滑动，提取局部特征</translation>
    </message>
    <message>
        <source>Depth, height and width of the convolution window</source>
        <translation>卷积窗口的深度、高度和宽度</translation>
    </message>
    <message>
        <source>Turns each index, such as a word, into a learned vector</source>
        <translation>将每个索引（例如词的索引）变为可学习的向量</translation>
    </message>
    <message>
        <source>Size of the vocabulary: the largest index plus 1</source>
        <translation>词表大小：最大索引加 1</translation>
    </message>
    <message>
        <source>Number of indices</source>
        <translation>索引个数</translation>
    </message>
    <message>
        <source>Input dimension</source>
        <translation>输入维度</translation>
    </message>
    <message>
        <source>Size of each vector</source>
        <translation>每个向量的大小</translation>
    </message>
    <message>
        <source>Output size</source>
        <translation>输出大小</translation>
    </message>
    <message>
        <source>Embeddings initializer</source>
        <translation>嵌入初始化方法</translation>
    </message>
    <message>
        <source>Embeddings regularizer</source>
        <translation>嵌入正则化</translation>
    </message>
    <message>
        <source>Grouped-query attention: several query heads share one key and value head</source>
        <translation>分组查询注意力：多个查询头共用一个键头和一个值头</translation>
    </message>
    <message>
        <source>Size of each attention head</source>
        <translation>每个注意力头的大小</translation>
    </message>
    <message>
        <source>Head size</source>
        <translation>注意力头的大小</translation>
    </message>
    <message>
        <source>Number of query heads</source>
        <translation>查询的头数</translation>
    </message>
    <message>
        <source>Query heads</source>
        <translation>查询头数</translation>
    </message>
    <message>
        <source>Number of key and value heads</source>
        <translation>键和值的头数</translation>
    </message>
    <message>
        <source>Key and value heads</source>
        <translation>键值头数</translation>
    </message>
    <message>
        <source>3D max pooling: takes the maximum of each window</source>
        <translation>三维最大池化：取每个窗口的最大值</translation>
    </message>
    <message>
        <source>Multi-head attention to another sequence, or to the same sequence (self-attention)</source>
        <translation>多头注意力，关注另一个序列或同一个序列（自注意力）</translation>
    </message>
    <message>
        <source>Number of heads</source>
        <translation>头数</translation>
    </message>
    <message>
        <source>Number of attention heads</source>
        <translation>注意力头的个数</translation>
    </message>
    <message>
        <source>Size of each attention head for query and key</source>
        <translation>每个注意力头中查询和键的大小</translation>
    </message>
    <message>
        <source>Key dimension</source>
        <translation>键维度</translation>
    </message>
    <message>
        <source>Size of each attention head for the value; by default key_dim</source>
        <translation>每个注意力头中值的大小；默认与 key_dim 相同</translation>
    </message>
    <message>
        <source>Value dimension</source>
        <translation>值维度</translation>
    </message>
    <message>
        <source>Shape of the output features; by default that of the query</source>
        <translation>输出特征的形状；默认与查询相同</translation>
    </message>
    <message>
        <source>A learned vector for each position of a sequence, to be added to the features</source>
        <translation>为序列的每个位置学习一个向量，用于加到特征上</translation>
    </message>
    <message>
        <source>Maximum length of a sequence</source>
        <translation>序列的最大长度</translation>
    </message>
    <message>
        <source>Sequence length</source>
        <translation>序列长度</translation>
    </message>
    <message>
        <source>Rotary position embedding: rotates pairs of features by an angle that grows with the position</source>
        <translation>旋转位置编码（RoPE）：将成对的特征旋转一个角度，角度随位置增大</translation>
    </message>
    <message>
        <source>Maximum wavelength of the sines and cosines, in steps divided by 2 pi</source>
        <translation>正弦和余弦的最大波长，单位为时间步数除以 2 pi</translation>
    </message>
    <message>
        <source>Maximum wavelength</source>
        <translation>最大波长</translation>
    </message>
    <message>
        <source>Divisor of the positions, to support sequences longer than in training</source>
        <translation>位置除以该系数，以支持比训练时更长的序列</translation>
    </message>
    <message>
        <source>Scaling factor</source>
        <translation>缩放系数</translation>
    </message>
    <message>
        <source>Sine and cosine encoding of the position in a sequence, to be added to the features</source>
        <translation>序列位置的正弦和余弦编码，用于加到特征上</translation>
    </message>
    <message>
        <source>Adds a penalty on its input values to the loss</source>
        <translation>对输入值施加惩罚，并将惩罚项加到损失上</translation>
    </message>
    <message>
        <source>L1 regularization factor</source>
        <translation>L1 正则化系数</translation>
    </message>
    <message>
        <source>L1</source>
        <translation>L1</translation>
    </message>
    <message>
        <source>L2 regularization factor</source>
        <translation>L2 正则化系数</translation>
    </message>
    <message>
        <source>L2</source>
        <translation>L2</translation>
    </message>
    <message>
        <source>Average pooling to a fixed output size, independent of the size of the input</source>
        <translation>自适应平均池化：输出大小固定，与输入大小无关</translation>
    </message>
    <message>
        <source>Number of time steps of the output</source>
        <translation>输出的时间步数</translation>
    </message>
    <message>
        <source>Height and width of the output</source>
        <translation>输出的高度和宽度</translation>
    </message>
    <message>
        <source>Depth, height and width of the output</source>
        <translation>输出的深度、高度和宽度</translation>
    </message>
    <message>
        <source>Max pooling to a fixed output size, independent of the size of the input</source>
        <translation>自适应最大池化：输出大小固定，与输入大小无关</translation>
    </message>
    <message>
        <source>Encodes indices as one-hot, multi-hot or count vectors</source>
        <translation>将索引编码为 one-hot、multi-hot 或计数向量</translation>
    </message>
    <message>
        <source>Number of different indices</source>
        <translation>不同索引的个数</translation>
    </message>
    <message>
        <source>one_hot: one vector per index; multi_hot: which indices occur; count: how often each occurs</source>
        <translation>one_hot：每个索引一个向量；multi_hot：出现了哪些索引；count：各出现几次</translation>
    </message>
    <message>
        <source>Output mode</source>
        <translation>输出方式</translation>
    </message>
    <message>
        <source>Transposed 3D convolution, which enlarges a volume</source>
        <translation>三维转置卷积，可放大体数据</translation>
    </message>
    <message>
        <source>Assigns numbers to bins and outputs the index of the bin</source>
        <translation>将数值分到各区间，输出区间的索引</translation>
    </message>
    <message>
        <source>Boundaries between the bins, in increasing order</source>
        <translation>区间之间的边界，按递增顺序</translation>
    </message>
    <message>
        <source>Bin boundaries</source>
        <translation>区间边界</translation>
    </message>
    <message>
        <source>Number of bins, with boundaries computed from the training data</source>
        <translation>区间的个数，边界根据训练数据计算</translation>
    </message>
    <message>
        <source>Number of bins</source>
        <translation>区间数</translation>
    </message>
    <message>
        <source>int: bin index; one_hot: one vector per value; multi_hot: which bins occur; count: how often each occurs</source>
        <translation>int：区间索引；one_hot：每个值一个向量；multi_hot：出现了哪些区间；count：各出现几次</translation>
    </message>
    <message>
        <source>A dense layer over the dimensions that an einsum equation selects</source>
        <translation>全连接层，作用于 einsum 等式所选的维度</translation>
    </message>
    <message>
        <source>Einsum equation of input, weights and output, such as ab,bc-&gt;ac; ... denotes all other dimensions</source>
        <translation>输入、权重和输出的 einsum 等式，例如 ab,bc-&gt;ac；... 表示其余维度</translation>
    </message>
    <message>
        <source>Equation</source>
        <translation>等式</translation>
    </message>
    <message>
        <source>Shape of the output without the batch and the dimensions of ...; a null entry is inferred from the input</source>
        <translation>输出的形状，不含批维度和 ... 表示的维度；为 null 的项根据输入推断</translation>
    </message>
    <message>
        <source>Output shape</source>
        <translation>输出形状</translation>
    </message>
    <message>
        <source>Letters of the output dimensions that have a bias; by default no bias</source>
        <translation>带有偏置的输出维度的字母；默认没有偏置</translation>
    </message>
    <message>
        <source>Bias axes</source>
        <translation>偏置轴</translation>
    </message>
    <message>
        <source>Treat index 0 as padding, which later layers skip</source>
        <translation>将索引 0 视为填充，后面的层会跳过它</translation>
    </message>
    <message>
        <source>Mask zero</source>
        <translation>屏蔽 0</translation>
    </message>
    <message>
        <source>Custom element-wise formula with trainable parameters</source>
        <translation>自定义的逐元素公式，可带可训练参数</translation>
    </message>
    <message>
        <source>Formula of the inputs x, y, z (or x1, x2, ...) and the parameters</source>
        <translation>由输入 x、y、z（或 x1、x2、...）和参数组成的公式</translation>
    </message>
    <message>
        <source>Formula</source>
        <translation>公式</translation>
    </message>
    <message>
        <source>Names of the trainable parameters</source>
        <translation>可训练参数的名称</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Initial values of the parameters: one number for all, or one for each</source>
        <translation>参数的初始值：所有参数共用一个数，或每个参数一个数</translation>
    </message>
    <message>
        <source>Initial values</source>
        <translation>初始值</translation>
    </message>
    <message>
        <source>Separate parameters for each channel (the last dimension)</source>
        <translation>每个通道（最后一维）使用各自的参数</translation>
    </message>
    <message>
        <source>Per channel</source>
        <translation>按通道</translation>
    </message>
    <message>
        <source>Kernel constraint</source>
        <translation>核约束</translation>
    </message>
    <message>
        <source>Bias constraint</source>
        <translation>偏置约束</translation>
    </message>
    <message>
        <source>Depthwise constraint</source>
        <translation>逐通道核约束</translation>
    </message>
    <message>
        <source>Pointwise constraint</source>
        <translation>逐点核约束</translation>
    </message>
    <message>
        <source>Gamma constraint</source>
        <translation>Gamma 约束</translation>
    </message>
    <message>
        <source>Beta constraint</source>
        <translation>Beta 约束</translation>
    </message>
    <message>
        <source>Alpha constraint</source>
        <translation>Alpha 约束</translation>
    </message>
    <message>
        <source>Embeddings constraint</source>
        <translation>嵌入约束</translation>
    </message>
    <message>
        <source>Recurrent constraint</source>
        <translation>循环核约束</translation>
    </message>
    <message>
        <source>Constraint on the weights after each update</source>
        <translation>每次更新后对权重的约束</translation>
    </message>
    <message>
        <source>Constraint</source>
        <translation>约束</translation>
    </message>
    <message>
        <source>Multiplies by Gaussian noise with mean 1 during training</source>
        <translation>训练时乘以均值为 1 的高斯噪声</translation>
    </message>
    <message>
        <source>Strength of the noise, comparable to the rate of Dropout</source>
        <translation>噪声强度，相当于 Dropout 的丢弃率</translation>
    </message>
    <message>
        <source>Adds Gaussian noise during training</source>
        <translation>训练时加上高斯噪声</translation>
    </message>
    <message>
        <source>Standard deviation of the noise</source>
        <translation>噪声的标准差</translation>
    </message>
    <message>
        <source>Standard deviation</source>
        <translation>标准差</translation>
    </message>
    <message>
        <source>Masks time steps that contain only the padding value, so that later layers skip them</source>
        <translation>屏蔽只含填充值的时间步，使后面的层跳过它们</translation>
    </message>
    <message>
        <source>Value that marks a time step as padding</source>
        <translation>用于标记填充时间步的值</translation>
    </message>
    <message>
        <source>Padding value</source>
        <translation>填充值</translation>
    </message>
    <message>
        <source>Normalizes values with a given mean and variance, or with those of the training data</source>
        <translation>对值进行归一化；均值和方差可以给定，也可以根据训练数据计算</translation>
    </message>
    <message>
        <source>Mean: one number, or one per position along axis; by default computed from the training data</source>
        <translation>均值：一个数，或沿 axis 的每个位置一个数；默认根据训练数据计算</translation>
    </message>
    <message>
        <source>Variance: one number, or one per position along axis; by default computed from the training data</source>
        <translation>方差：一个数，或沿 axis 的每个位置一个数；默认根据训练数据计算</translation>
    </message>
    <message>
        <source>Randomly adjusts the brightness of images during training</source>
        <translation>训练时随机调整图像的亮度</translation>
    </message>
    <message>
        <source>Largest change as a fraction of the value range, or a lower and an upper limit</source>
        <translation>最大变化量（占取值范围的比例），或变化量的下限和上限</translation>
    </message>
    <message>
        <source>Randomly adjusts the contrast of images during training</source>
        <translation>训练时随机调整图像的对比度</translation>
    </message>
    <message>
        <source>Largest relative change of the contrast, or a lower and an upper limit</source>
        <translation>对比度的最大相对变化量，或变化量的下限和上限</translation>
    </message>
    <message>
        <source>Randomly crops images during training; otherwise crops the center</source>
        <translation>训练时随机裁剪图像；非训练时裁剪出中央部分</translation>
    </message>
    <message>
        <source>Randomly erases a rectangle of each image during training</source>
        <translation>训练时随机擦除每幅图像中的一个矩形</translation>
    </message>
    <message>
        <source>Maximum probability of erasing part of an image, or a lower and an upper limit</source>
        <translation>擦除图像某一部分的最大概率，或概率的下限和上限</translation>
    </message>
    <message>
        <source>Lower and upper limit of the erased fraction of the image</source>
        <translation>擦除部分占图像比例的下限和上限</translation>
    </message>
    <message>
        <source>Value to fill with: one number, or one per channel; by default random noise</source>
        <translation>填充的值：一个数，或每个通道一个数；默认为随机噪声</translation>
    </message>
    <message>
        <source>Fill value</source>
        <translation>填充值</translation>
    </message>
    <message>
        <source>Randomly flips images during training</source>
        <translation>训练时随机翻转图像</translation>
    </message>
    <message>
        <source>horizontal: flip left and right; vertical: flip top and bottom</source>
        <translation>horizontal：左右翻转；vertical：上下翻转</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>方式</translation>
    </message>
    <message>
        <source>Minimum and maximum pixel value of the images</source>
        <translation>图像像素的最小值和最大值</translation>
    </message>
    <message>
        <source>Value range</source>
        <translation>取值范围</translation>
    </message>
    <message>
        <source>How to fill the area outside the image: reflect, wrap, constant or nearest</source>
        <translation>图像之外区域的填充方式：reflect（镜像）、wrap（循环）、constant（常数）或 nearest（最近的边缘）</translation>
    </message>
    <message>
        <source>Fill mode</source>
        <translation>填充方式</translation>
    </message>
    <message>
        <source>Value outside the image when fill_mode is constant</source>
        <translation>fill_mode 为 constant 时图像之外的值</translation>
    </message>
    <message>
        <source>Interpolation between pixels: nearest or bilinear</source>
        <translation>像素间的插值方法：nearest 或 bilinear</translation>
    </message>
    <message>
        <source>Randomly rotates images during training</source>
        <translation>训练时随机旋转图像</translation>
    </message>
    <message>
        <source>Largest angle as a fraction of a full turn, or a lower and an upper limit</source>
        <translation>最大角度（以一整圈的比例表示），或角度的下限和上限</translation>
    </message>
    <message>
        <source>Randomly shifts images during training</source>
        <translation>训练时随机平移图像</translation>
    </message>
    <message>
        <source>Largest vertical shift as a fraction of the height, or a lower and an upper limit</source>
        <translation>最大垂直平移量（占高度的比例），或平移量的下限和上限</translation>
    </message>
    <message>
        <source>Height factor</source>
        <translation>高度系数</translation>
    </message>
    <message>
        <source>Largest horizontal shift as a fraction of the width, or a lower and an upper limit</source>
        <translation>最大水平平移量（占宽度的比例），或平移量的下限和上限</translation>
    </message>
    <message>
        <source>Width factor</source>
        <translation>宽度系数</translation>
    </message>
    <message>
        <source>Largest relative change of the width; by default that of the height</source>
        <translation>宽度的最大相对变化量；默认与高度相同</translation>
    </message>
    <message>
        <source>Randomly zooms into or out of images during training</source>
        <translation>训练时随机缩放图像</translation>
    </message>
    <message>
        <source>Largest relative change of the height, or a lower and an upper limit</source>
        <translation>高度的最大相对变化量，或变化量的下限和上限</translation>
    </message>
    <message>
        <source>Output regularizer</source>
        <translation>输出正则化</translation>
    </message>
    <message>
        <source>Applies a recurrent layer to a sequence in both directions</source>
        <translation>沿两个方向对序列应用循环层</translation>
    </message>
    <message>
        <source>Recurrent layer for the forward direction</source>
        <translation>正向的循环层</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Merge mode</source>
        <translation>合并方式</translation>
    </message>
    <message>
        <source>Layer for the backward direction; by default a copy of the forward layer</source>
        <translation>反向的层；默认为正向层的副本</translation>
    </message>
    <message>
        <source>Backward layer</source>
        <translation>反向层</translation>
    </message>
    <message>
        <source>2D convolutional LSTM for a sequence of images</source>
        <translation>用于图像序列的二维卷积 LSTM</translation>
    </message>
    <message>
        <source>Apply the reset gate after the matrix product instead of before it</source>
        <translation>在矩阵乘积之后（而不是之前）应用重置门</translation>
    </message>
    <message>
        <source>Reset after</source>
        <translation>乘积后重置</translation>
    </message>
    <message>
        <source>Gated recurrent unit: a recurrent layer with two gates</source>
        <translation>门控循环单元：带两个门的循环层</translation>
    </message>
    <message>
        <source>Long short-term memory: a recurrent layer with a gated cell state</source>
        <translation>长短期记忆：带门控单元状态的循环层</translation>
    </message>
    <message>
        <source>Initialize the bias of the forget gate with 1, so that the cell keeps its state early in training</source>
        <translation>将遗忘门的偏置初始化为 1，使单元在训练初期倾向于保留状态</translation>
    </message>
    <message>
        <source>Unit forget bias</source>
        <translation>遗忘门偏置为 1</translation>
    </message>
    <message>
        <source>Size of the state, which is also the size of the output of each time step</source>
        <translation>状态的大小，也是每个时间步输出的大小</translation>
    </message>
    <message>
        <source>Activation function of the gates</source>
        <translation>门的激活函数</translation>
    </message>
    <message>
        <source>Recurrent activation</source>
        <translation>循环激活函数</translation>
    </message>
    <message>
        <source>Return the output of every time step instead of only the last</source>
        <translation>返回每个时间步的输出，而不只是最后一个</translation>
    </message>
    <message>
        <source>Return sequences</source>
        <translation>返回序列</translation>
    </message>
    <message>
        <source>Process the sequence in reverse and return the reversed sequence</source>
        <translation>反向处理序列，并返回反向的序列</translation>
    </message>
    <message>
        <source>Go backwards</source>
        <translation>反向处理</translation>
    </message>
    <message>
        <source>Stateful</source>
        <translation>保留状态</translation>
    </message>
    <message>
        <source>Fraction of the inputs to drop during training; the same inputs are dropped at every time step</source>
        <translation>训练时输入的丢弃比例；所有时间步使用相同的丢弃掩码</translation>
    </message>
    <message>
        <source>Fraction of the recurrent state to drop during training; the same values are dropped at every time step</source>
        <translation>训练时循环状态的丢弃比例；所有时间步使用相同的丢弃掩码</translation>
    </message>
    <message>
        <source>Recurrent dropout</source>
        <translation>循环随机失活</translation>
    </message>
    <message>
        <source>Recurrent initializer</source>
        <translation>循环核初始化方法</translation>
    </message>
    <message>
        <source>Recurrent regularizer</source>
        <translation>循环核正则化</translation>
    </message>
    <message>
        <source>Fully connected recurrent layer: the output of each time step is fed into the next</source>
        <translation>全连接循环层：每个时间步的输出送入下一个时间步</translation>
    </message>
    <message>
        <source>Applies the same layer to each time step of a sequence</source>
        <translation>将同一个层应用于序列的每个时间步</translation>
    </message>
    <message>
        <source>Layer to apply to each time step</source>
        <translation>应用于每个时间步的层</translation>
    </message>
    <message>
        <source>Divides the weights of a layer by their largest singular value</source>
        <translation>将一层的权重除以其最大奇异值</translation>
    </message>
    <message>
        <source>Layer whose weights are normalized</source>
        <translation>要对其权重做归一化的层</translation>
    </message>
    <message>
        <source>Number of power iterations per training step</source>
        <translation>每个训练步的幂迭代次数</translation>
    </message>
    <message>
        <source>Power iterations</source>
        <translation>幂迭代次数</translation>
    </message>
    <message>
        <source>How to combine the outputs of both directions; none: both are returned, the backward output as NAME:1</source>
        <translation>两个方向输出的合并方式；无：两个都返回，反向输出为 NAME:1</translation>
    </message>
    <message>
        <source>Also return the last state: other layers refer to it as NAME:1, and to the cell state of an LSTM as NAME:2</source>
        <translation>同时返回最后的状态：其他层以 NAME:1 引用它，以 NAME:2 引用 LSTM 的单元状态</translation>
    </message>
    <message>
        <source>Return state</source>
        <translation>返回状态</translation>
    </message>
    <message>
        <source>Each time step attends only to time steps closer than this; by default to all</source>
        <translation>每个时间步只关注距离小于此值的时间步；默认关注全部</translation>
    </message>
    <message>
        <source>Sliding window</source>
        <translation>滑动窗口</translation>
    </message>
    <message>
        <source>Multiply each head by a gate between 0 and 1 computed from the query</source>
        <translation>将每个头乘以由查询计算出的门控值（0 到 1）</translation>
    </message>
    <message>
        <source>Use gate</source>
        <translation>使用门控</translation>
    </message>
    <message>
        <source>Shape of the dropout mask, including the batch: 1 shares the mask along a dimension, null uses the size of the input</source>
        <translation>随机失活掩码的形状（含批维度）：1 表示沿该维共用掩码，null 表示与输入的大小相同</translation>
    </message>
    <message>
        <source>Noise shape</source>
        <translation>噪声形状</translation>
    </message>
    <message>
        <source>Order of the dimensions: channels last, as in [height, width, channels], or channels first</source>
        <translation>维度的顺序：通道在最后，例如 [height, width, channels]；或通道在最前</translation>
    </message>
    <message>
        <source>Data format</source>
        <translation>数据格式</translation>
    </message>
    <message>
        <source>Accepted for Keras compatibility; has no effect</source>
        <translation>仅为兼容 Keras 而提供，不起作用</translation>
    </message>
    <message>
        <source>Implementation</source>
        <translation>实现方式</translation>
    </message>
    <message>
        <source>Dimensions that attention is applied over; by default all except batch and features</source>
        <translation>沿这些维度计算注意力；默认为除批维度和特征维度以外的全部维度</translation>
    </message>
    <message>
        <source>Attention axes</source>
        <translation>注意力轴</translation>
    </message>
    <message>
        <source>Interpolation between pixels, from nearest (fastest) to lanczos5 (smoothest)</source>
        <translation>像素间的插值方法，从 nearest（最快）到 lanczos5（最平滑）</translation>
    </message>
    <message>
        <source>Number to multiply by, or one number per position of the last dimension</source>
        <translation>乘数；也可以为最后一维的每个位置分别指定一个数</translation>
    </message>
    <message>
        <source>Number to add after scaling, or one number per position of the last dimension</source>
        <translation>缩放之后加上的数；也可以为最后一维的每个位置分别指定一个数</translation>
    </message>
    <message>
        <source>Crop the image around its center to keep the aspect ratio</source>
        <translation>围绕中心裁剪图像以保持宽高比</translation>
    </message>
    <message>
        <source>Crop to aspect ratio</source>
        <translation>按宽高比裁剪</translation>
    </message>
    <message>
        <source>Pad the image equally on both sides to keep the aspect ratio</source>
        <translation>在两侧等量填充图像，以保持宽高比</translation>
    </message>
    <message>
        <source>Pad to aspect ratio</source>
        <translation>按宽高比填充</translation>
    </message>
    <message>
        <source>How to fill the padding; only a constant value is supported</source>
        <translation>填充方式；只支持用常数填充</translation>
    </message>
    <message>
        <source>Value of the padding</source>
        <translation>填充的值</translation>
    </message>
    <message>
        <source>Use anti-aliasing when reducing the image size</source>
        <translation>缩小图像时使用抗锯齿</translation>
    </message>
    <message>
        <source>Anti-aliasing</source>
        <translation>抗锯齿</translation>
    </message>
    <message>
        <source>Limits of the renormalization correction</source>
        <translation>重归一化修正的界限</translation>
    </message>
    <message>
        <source>Upper limit of the correction factor; by default no limit</source>
        <translation>修正系数的上限；默认不限制</translation>
    </message>
    <message>
        <source>Maximum factor</source>
        <translation>最大系数</translation>
    </message>
    <message>
        <source>Lower limit of the correction factor; by default no limit</source>
        <translation>修正系数的下限；默认不限制</translation>
    </message>
    <message>
        <source>Minimum factor</source>
        <translation>最小系数</translation>
    </message>
    <message>
        <source>Limit of the correction offset; by default no limit</source>
        <translation>修正偏移的界限；默认不限制</translation>
    </message>
    <message>
        <source>Maximum offset</source>
        <translation>最大偏移</translation>
    </message>
    <message>
        <source>Use batch renormalization, which helps with small batches</source>
        <translation>使用批重归一化，适合较小的批次</translation>
    </message>
    <message>
        <source>Renormalize</source>
        <translation>重归一化</translation>
    </message>
    <message>
        <source>Limits of the renormalization correction; by default no limits</source>
        <translation>重归一化修正的界限；默认不限制</translation>
    </message>
    <message>
        <source>Renormalization limits</source>
        <translation>重归一化界限</translation>
    </message>
    <message>
        <source>Momentum of the moving statistics used by renormalization</source>
        <translation>重归一化所用移动统计量的动量</translation>
    </message>
    <message>
        <source>Renormalization momentum</source>
        <translation>重归一化动量</translation>
    </message>
    <message>
        <source>Start each batch from the last state of the previous batch</source>
        <translation>将上一批次的最后状态用作下一批次的初始状态</translation>
    </message>
    <message>
        <source>Approximate with tanh</source>
        <translation>使用 tanh 近似</translation>
    </message>
    <message>
        <source>Smoothness</source>
        <translation>平滑度</translation>
    </message>
    <message>
        <source>Default value</source>
        <translation>默认值</translation>
    </message>
    <message>
        <source>Distribution</source>
        <translation>分布</translation>
    </message>
    <message>
        <source>Gain</source>
        <translation>增益</translation>
    </message>
    <message>
        <source>L1 factor</source>
        <translation>L1 系数</translation>
    </message>
    <message>
        <source>L2 factor</source>
        <translation>L2 系数</translation>
    </message>
    <message>
        <source>Upper bound</source>
        <translation>上限</translation>
    </message>
    <message>
        <source>Minimum value</source>
        <translation>最小值</translation>
    </message>
    <message>
        <source>Lower bound</source>
        <translation>下限</translation>
    </message>
    <message>
        <source>Periodic window</source>
        <translation>周期窗</translation>
    </message>
    <message>
        <source>Scaling</source>
        <translation>缩放方式</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>分量</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窗函数</translation>
    </message>
    <message>
        <source>Activation function of the state</source>
        <translation>状态的激活函数</translation>
    </message>
    <message>
        <source>Use the statistics of the batches of all devices that train side by side</source>
        <translation>使用并行训练的所有设备的批次的统计量</translation>
    </message>
    <message>
        <source>Synchronized</source>
        <translation>同步</translation>
    </message>
    <message>
        <source>Index of the device that computes this layer, in the list of devices; default: the device of its input</source>
        <translation>计算该层的设备在设备列表中的序号；默认：其输入所在的设备</translation>
    </message>
</context>
<context>
    <name>limits</name>
    <message>
        <source>the catalogue of cards has no data sheet of %1</source>
        <translation>显卡目录中没有 %1 的数据表</translation>
    </message>
    <message>
        <source>data sheet of %1</source>
        <translation>%1 的数据表</translation>
    </message>
    <message>
        <source>this machine is not calibrated for %1 threads (strata plan and the window calibrate it)</source>
        <translation>本机尚未针对 %1 个线程进行校准（strata plan 和窗口会进行校准）</translation>
    </message>
    <message>
        <source>calibration of this machine with %1 threads, made while it was busy</source>
        <translation>本机以 %1 个线程进行的校准，校准时机器繁忙</translation>
    </message>
    <message>
        <source>calibration of this machine with %1 threads</source>
        <translation>本机以 %1 个线程进行的校准</translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>Design, train and inspect neural networks.</source>
        <translation>设计、训练和检查神经网络。</translation>
    </message>
    <message>
        <source>Project file to open (default: the last project).</source>
        <translation>要打开的项目文件（默认：上次打开的项目）。</translation>
    </message>
    <message>
        <source>Save a screenshot of the window to FILE and quit.</source>
        <translation>将窗口截图保存到 FILE 并退出。</translation>
    </message>
    <message>
        <source>Milliseconds to wait before the screenshot.</source>
        <translation>截图前等待的毫秒数。</translation>
    </message>
    <message>
        <source>Trigger the named action at startup, such as run.train or view.page3.</source>
        <translation>启动时触发指定名称的操作，例如 run.train 或 view.page3。</translation>
    </message>
    <message>
        <source>Width and height of the window in pixels.</source>
        <translation>窗口的宽度和高度（像素）。</translation>
    </message>
    <message>
        <source>Select this layer at startup.</source>
        <translation>启动时选中该层。</translation>
    </message>
    <message>
        <source>Language for this session: en or zh_CN.</source>
        <translation>本次启动使用的语言：en 或 zh_CN。</translation>
    </message>
    <message>
        <source>Show a recording: a run directory, or a folder that ./dev gpu-test --out wrote.</source>
        <translation>显示记录：运行目录，或 ./dev gpu-test --out 写入的文件夹。</translation>
    </message>
</context>
<context>
    <name>pass</name>
    <message>
        <source>Removes ops whose results are not used</source>
        <translation>删除结果未被使用的算子</translation>
    </message>
    <message>
        <source>Computes repeated expressions only once</source>
        <translation>重复的表达式只计算一次</translation>
    </message>
    <message>
        <source>Fuses softmax or sigmoid with its cross-entropy into one numerically stable op</source>
        <translation>将 softmax 或 sigmoid 与其交叉熵融合为一个数值稳定的算子</translation>
    </message>
    <message>
        <source>Rewrites equivalent expressions to one form and removes pairs of ops that cancel out</source>
        <translation>将等价的表达式改写为统一形式，并去掉相互抵消的算子对</translation>
    </message>
    <message>
        <source>Computes constant expressions once, before training</source>
        <translation>在训练前一次性计算常量表达式</translation>
    </message>
    <message>
        <source>Removes additions of 0 and multiplications by 1; merges consecutive scalings</source>
        <translation>去掉加 0 和乘 1 的算子；合并连续的缩放</translation>
    </message>
    <message>
        <source>Adds biases and applies activations inside matrix products and convolutions</source>
        <translation>在矩阵乘法和卷积内部加偏置并应用激活函数</translation>
    </message>
    <message>
        <source>Adds residual connections and applies ReLU inside batch normalization</source>
        <translation>在批归一化内部加上残差连接并应用 ReLU</translation>
    </message>
    <message>
        <source>Adds the gradient of a residual connection inside the gradient of layer normalization, on GPUs</source>
        <translation>在 GPU 上于层归一化的梯度内部加上残差连接的梯度</translation>
    </message>
    <message>
        <source>Computes a classifier&apos;s loss, accuracy and gradient of the logits in one kernel, on GPUs</source>
        <translation>在 GPU 上用一个内核计算分类器的损失、准确率和 logits 的梯度</translation>
    </message>
    <message>
        <source>Updates dense weights while their gradient is computed</source>
        <translation>在计算梯度的同时更新全连接层的权重</translation>
    </message>
    <message>
        <source>Applies activations inside max pooling</source>
        <translation>在最大池化内部应用激活函数</translation>
    </message>
    <message>
        <source>Runs chains of element-wise ops as one op</source>
        <translation>将连续的逐元素算子融合为一个算子执行</translation>
    </message>
    <message>
        <source>Places weight updates last and computes values just before they are used</source>
        <translation>将权重更新放在最后，其他值在使用前才计算</translation>
    </message>
    <message>
        <source>Recomputes values in the backward pass instead of keeping them, to meet a memory limit</source>
        <translation>为满足内存上限，在反向传播中重新计算某些值，而不保留它们</translation>
    </message>
    <message>
        <source>Writes results over operands that are no longer needed</source>
        <translation>将结果写入不再需要的操作数所占的内存</translation>
    </message>
    <message>
        <source>Computes activation and bias gradients before max pooling expands its gradient</source>
        <translation>在最大池化展开梯度之前计算激活函数和偏置的梯度</translation>
    </message>
    <message>
        <source>Chooses the fastest of several kernels for an op, as timed on this machine</source>
        <translation>根据本机的计时结果，为算子选择最快的内核</translation>
    </message>
    <message>
        <source>Merges small matrix products of the same input and runs large groups in parallel</source>
        <translation>合并同一输入的多个小型矩阵乘法；数量较多时并行执行</translation>
    </message>
    <message>
        <source>Computes products and activations with 16-bit numbers, if the precision is bfloat16 or float16</source>
        <translation>如果精度为 bfloat16 或 float16，则用 16 位数计算乘积和激活值</translation>
    </message>
    <message>
        <source>Stores the weights of convolutions as libraries of cards read them</source>
        <translation>按显卡库读取的顺序存储卷积权重</translation>
    </message>
    <message>
        <source>Writes gradients of weights as float32 instead of converting them</source>
        <translation>直接写出 float32 权重梯度，不再转换</translation>
    </message>
    <message>
        <source>Keeps the 16-bit versions of weights between steps</source>
        <translation>在各步之间保留权重的 16 位版本</translation>
    </message>
    <message>
        <source>Sums gradients of biases and adds residual connections inside matrix products</source>
        <translation>在矩阵乘法内求偏置梯度之和并加上残差连接</translation>
    </message>
    <message>
        <source>Begins sums over processes as soon as their gradients are there, while the backward pass goes on</source>
        <translation>梯度一就绪就开始跨进程求和，同时反向传播继续进行</translation>
    </message>
    <message>
        <source>Updates many variables by one op</source>
        <translation>用一个运算更新多个变量</translation>
    </message>
    <message>
        <source>Computes the norm of the gradients while they are checked, on GPUs</source>
        <translation>在 GPU 上检查梯度的同时计算其范数</translation>
    </message>
    <message>
        <source>Chooses whether images have channels last or first for each convolution, on GPUs</source>
        <translation>在 GPU 上为每个卷积选择图像的通道在后还是在前</translation>
    </message>
    <message>
        <source>Computes query, key and value of self-attention in one product, on GPUs</source>
        <translation>在 GPU 上用一次矩阵乘法计算自注意力的查询、键和值</translation>
    </message>
    <message>
        <source>Sums squares of the gradients of embeddings directly, on GPUs</source>
        <translation>在 GPU 上直接累加嵌入梯度的平方</translation>
    </message>
</context>
<context>
    <name>problem</name>
    <message>
        <source>Blocks are nested too deeply (expected at most %1 levels). Replace this Block with its layers.</source>
        <translation>Block 嵌套过深（最多 %1 级）。请将该 Block 替换为其中的层。</translation>
    </message>
    <message>
        <source>a Block cannot contain an Input layer (expected none: its first layer takes the Block&apos;s input). Remove it.</source>
        <translation>Block 中不能有 Input 层（其第一层接收 Block 的输入）。请将其删除。</translation>
    </message>
    <message>
        <source>it has %1 inputs, but each repetition takes the single output of the previous one (expected 1). Combine the inputs first.</source>
        <translation>它有 %1 个输入，但每次重复只接收前一次重复的一个输出（应为 1 个）。请先合并输入。</translation>
    </message>
    <message>
        <source>no layer uses its output, and the Block already ends in %1 (expected one output). Connect it or remove it.</source>
        <translation>没有层使用它的输出，而该 Block 已以 %1 结尾（应只有一个输出）。请连接它或将其删除。</translation>
    </message>
    <message>
        <source>repetition %1 of %2 does not accept the output of the previous one: %3</source>
        <translation>第 %1 次重复（共 %2 次）不能接收前一次的输出：%3</translation>
    </message>
    <message>
        <source>its repetitions make the network too large (expected at most %1 layers, got %2 times %3). Reduce repeat.</source>
        <translation>重复后的网络过大（最多 %1 层，实际为 %2 乘以 %3 层）。请减小 repeat。</translation>
    </message>
    <message>
        <source>the Block is empty (expected at least one layer). Add a layer, or remove the Block.</source>
        <translation>该 Block 为空（至少应有一层）。请添加一层，或删除该 Block。</translation>
    </message>
    <message>
        <source>the first layer of a Block takes the Block&apos;s input (expected no inputs, got %1). Remove inputs.</source>
        <translation>Block 的第一层接收 Block 的输入（不应有 inputs，实际为 %1）。请删除 inputs。</translation>
    </message>
    <message>
        <source>the input %1 has the shape %2 (expected %3, the shape of %4). Make the two shapes equal.</source>
        <translation>输入 %1 的形状为 %2（应为 %3，与 %4 的形状相同）。请使两者的形状一致。</translation>
    </message>
    <message>
        <source>axis is %1 (expected 1 to %2, or -1 for the last dimension). Set it to -1.</source>
        <translation>axis 为 %1（应为 1 到 %2，或用 -1 表示最后一维）。请设为 -1。</translation>
    </message>
    <message>
        <source>the input %1 has the shape %2 (expected %3 as in %5, except along axis %4). Make all other sizes equal.</source>
        <translation>输入 %1 的形状为 %2（除第 %4 维外，应与 %5 的形状 %3 相同）。请使其余各维的大小一致。</translation>
    </message>
    <message>
        <source>groups is %1, which does not divide the %2 channels of the input (expected a divisor). Set groups to 1 or to a divisor.</source>
        <translation>groups 为 %1，不能整除输入的 %2 个通道（应为其约数）。请将 groups 设为 1 或一个约数。</translation>
    </message>
    <message>
        <source>filters is %1 (expected a multiple of %2, the value of groups). Change one of them.</source>
        <translation>filters 为 %1（应为 groups 的值 %2 的倍数）。请修改其中之一。</translation>
    </message>
    <message>
        <source>the input has the shape %1 (expected [features]). Insert a Reshape before this layer.</source>
        <translation>输入的形状为 %1（应为 [features]）。请在该层之前插入 Reshape。</translation>
    </message>
    <message>
        <source>a window of %1 does not fit into an image of %2 (expected a window no larger than the image). Make the window smaller, or set padding to same.</source>
        <translation>%1 的窗口超出了 %2 的图像（窗口不应大于图像）。请缩小窗口，或将 padding 设为 same。</translation>
    </message>
    <message>
        <source>%1 is too large to compute (expected at most %2 values). Make the layer smaller.</source>
        <translation>%1 太大，无法计算（最多 %2 个值）。请减小该层。</translation>
    </message>
    <message>
        <source>the input has the shape %1 (expected an image: %2). Insert a Reshape before this layer, or choose another input.</source>
        <translation>输入的形状为 %1（应为图像：%2）。请在该层之前插入 Reshape，或选择其他输入。</translation>
    </message>
    <message>
        <source>the input has the shape %1 (expected %2). Insert a Flatten or Reshape before this layer.</source>
        <translation>输入的形状为 %1（应为 %2）。请在该层之前插入 Flatten 或 Reshape。</translation>
    </message>
    <message>
        <source>Set %1 to %2</source>
        <translation>将 %1 设为 %2</translation>
    </message>
    <message>
        <source>%1</source>
        <translation>%1</translation>
    </message>
    <message>
        <source>target_shape %1 does not match the %2 values of the input %3 (expected the same number of values, with at most one -1). Change target_shape.</source>
        <translation>target_shape %1 与输入 %3 的 %2 个值不匹配（值的总数应相同，最多一个 -1）。请修改 target_shape。</translation>
    </message>
    <message>
        <source>%1 has the wrong type (expected %2, got %3). Correct it.</source>
        <translation>%1 的类型错误（应为%2，实际为 %3）。请更正。</translation>
    </message>
    <message>
        <source>%1 is out of range (expected more than %2, got %3). Set it above %2.</source>
        <translation>%1 超出范围（应大于 %2，实际为 %3）。请设为大于 %2 的值。</translation>
    </message>
    <message>
        <source>%1 is out of range (expected at least %2, got %3). Set it to %2 or more.</source>
        <translation>%1 超出范围（应不小于 %2，实际为 %3）。请设为 %2 或更大。</translation>
    </message>
    <message>
        <source>%1 is out of range (expected less than %2, got %3). Set it below %2.</source>
        <translation>%1 超出范围（应小于 %2，实际为 %3）。请设为小于 %2 的值。</translation>
    </message>
    <message>
        <source>%1 is out of range (expected at most %2, got %3). Set it to %2 or less.</source>
        <translation>%1 超出范围（应不大于 %2，实际为 %3）。请设为 %2 或更小。</translation>
    </message>
    <message>
        <source>%1 has an unknown value (expected one of: %3, got &quot;%2&quot;). Choose one of them.</source>
        <translation>%1 的值无效（应为以下之一：%3；实际为“%2”）。请选择其中之一。</translation>
    </message>
    <message>
        <source>%1 has %2 dimensions (expected at most %3). Use fewer dimensions.</source>
        <translation>%1 有 %2 个维度（最多 %3 个）。请减少维度。</translation>
    </message>
    <message>
        <source>%1 is missing (expected %2). Add it.</source>
        <translation>缺少 %1（应为%2）。请添加。</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>删除 %1</translation>
    </message>
    <message>
        <source>%1 is not a field of %2 and has no effect. Remove it.</source>
        <translation>%1 不是 %2 的字段，不起作用。请将其删除。</translation>
    </message>
    <message>
        <source>Rename %1 to %2</source>
        <translation>将 %1 重命名为 %2</translation>
    </message>
    <message>
        <source>%1 is not a field of %2 and has no effect. Did you mean %3?</source>
        <translation>%1 不是 %2 的字段，不起作用。您是指 %3 吗？</translation>
    </message>
    <message>
        <source>%1 has the wrong type (expected a name or an object with &quot;type&quot;, got %2). Correct it.</source>
        <translation>%1 的类型错误（应为名称或带有 &quot;type&quot; 的对象，实际为 %2）。请更正。</translation>
    </message>
    <message>
        <source>there is no %1 &quot;%2&quot; (expected one of: %3). Choose one of them.</source>
        <translation>没有名为“%2”的%1（应为以下之一：%3）。请选择其中之一。</translation>
    </message>
    <message>
        <source>Change %1 to %2</source>
        <translation>将 %1 改为 %2</translation>
    </message>
    <message>
        <source>the network has no layers. Add an Input layer and other layers after it.</source>
        <translation>网络中没有层。请添加一个 Input 层，并在其后添加其他层。</translation>
    </message>
    <message>
        <source>layer %1 is not an object (expected {&quot;type&quot;, &quot;name&quot;, ...}). Correct it.</source>
        <translation>第 %1 层不是对象（应为 {&quot;type&quot;, &quot;name&quot;, ...}）。请更正。</translation>
    </message>
    <message>
        <source>layer %1 has no name (expected a unique name). Name it.</source>
        <translation>第 %1 层没有名称（名称应唯一）。请为其命名。</translation>
    </message>
    <message>
        <source>Name it %1</source>
        <translation>命名为 %1</translation>
    </message>
    <message>
        <source>Rename it to %1</source>
        <translation>重命名为 %1</translation>
    </message>
    <message>
        <source>the name is reserved for a value of the training step (expected another name). Rename the layer.</source>
        <translation>该名称已保留，用于训练步中的某个值（应使用其他名称）。请重命名该层。</translation>
    </message>
    <message>
        <source>the name contains &apos;/&apos;, &apos;:&apos; or a control character (expected a name without them, because weights are named after the layer). Rename the layer.</source>
        <translation>名称含有 &apos;/&apos;、&apos;:&apos; 或控制字符（权重以层名命名，因此不能含有这些字符）。请重命名该层。</translation>
    </message>
    <message>
        <source>layers %1 and %2 have the same name (expected unique names). Rename one of them.</source>
        <translation>第 %1 层和第 %2 层同名（名称应唯一）。请重命名其中一层。</translation>
    </message>
    <message>
        <source>Rename the second layer to %1</source>
        <translation>将第二层重命名为 %1</translation>
    </message>
    <message>
        <source>type is missing (expected a layer type such as &quot;Dense&quot;). Add it.</source>
        <translation>缺少 type（应为层类型，例如 &quot;Dense&quot;）。请添加。</translation>
    </message>
    <message>
        <source>this version has no layer type &quot;%1&quot; (see `strata layers`). Choose another type.</source>
        <translation>此版本没有层类型“%1”（见 `strata layers`）。请另选一个。</translation>
    </message>
    <message>
        <source>this version has no layer type &quot;%1&quot;. Did you mean &quot;%2&quot;?</source>
        <translation>此版本没有层类型“%1”。您是指“%2”吗？</translation>
    </message>
    <message>
        <source>Add an Input layer with shape [28, 28, 1]</source>
        <translation>添加形状为 [28, 28, 1] 的 Input 层</translation>
    </message>
    <message>
        <source>it has no input (expected an Input layer before it). Add an Input layer at the top.</source>
        <translation>它没有输入（它之前应有 Input 层）。请在最上方添加一个 Input 层。</translation>
    </message>
    <message>
        <source>Use %1 as input</source>
        <translation>以 %1 为输入</translation>
    </message>
    <message>
        <source>its input &quot;%1&quot; does not exist. Did you mean &quot;%2&quot;?</source>
        <translation>它的输入“%1”不存在。您是指“%2”吗？</translation>
    </message>
    <message>
        <source>its input &quot;%1&quot; does not exist (expected the name of a layer). Choose an existing layer.</source>
        <translation>它的输入“%1”不存在（应为某层的名称）。请选择已有的层。</translation>
    </message>
    <message>
        <source>an input is missing (expected at least %2, got %1). Choose more layers as inputs.</source>
        <translation>缺少输入（至少应为 %2 个，实际为 %1 个）。请选择更多的层作为输入。</translation>
    </message>
    <message>
        <source>there are too many inputs (expected %2, got %1). Combine them with Add or Concatenate, or remove some.</source>
        <translation>输入太多（应为 %2 个，实际为 %1 个）。请用 Add 或 Concatenate 合并，或删除一部分。</translation>
    </message>
    <message>
        <source>Keep only %1</source>
        <translation>只保留 %1</translation>
    </message>
    <message>
        <source>it is part of a cycle: %1 (expected a network without cycles). Change the inputs of one of these layers.</source>
        <translation>它处于循环连接中：%1（网络不应有环）。请修改其中一层的输入。</translation>
    </message>
    <message>
        <source>every layer is frozen, so nothing is learned. Set trainable of a layer to true.</source>
        <translation>所有层都已冻结，因此什么也学不到。请将某一层的 trainable 设为 true。</translation>
    </message>
    <message>
        <source>the network has no Input layer (expected one). Add one at the top.</source>
        <translation>网络没有 Input 层（应有一个）。请在最上方添加一个。</translation>
    </message>
    <message>
        <source>shape is %1 (expected %2, the shape of the data&apos;s samples). Change it.</source>
        <translation>shape 为 %1（应为数据样本的形状 %2）。请修改。</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>改用 %1</translation>
    </message>
    <message>
        <source>initial_weights %1: %2</source>
        <translation>initial_weights %1：%2</translation>
    </message>
    <message>
        <source>optimizer is missing (expected a name such as &quot;adam&quot;). Add it.</source>
        <translation>缺少 optimizer（应为名称，例如 &quot;adam&quot;）。请添加。</translation>
    </message>
    <message>
        <source>%1 and %2 are both set (expected at most one kind of gradient clipping). Remove one of them.</source>
        <translation>同时设置了 %1 和 %2（最多只能使用一种梯度裁剪）。请删除其中之一。</translation>
    </message>
    <message>
        <source>loss is missing (expected a name such as &quot;sparse_categorical_crossentropy&quot;). Add it.</source>
        <translation>缺少 loss（应为名称，例如 &quot;sparse_categorical_crossentropy&quot;）。请添加。</translation>
    </message>
    <message>
        <source>there is no device &quot;%1&quot;. Did you mean &quot;%2&quot;?</source>
        <translation>没有名为“%1”的设备。您是指“%2”吗？</translation>
    </message>
    <message>
        <source>there is no device &quot;%1&quot; (expected %2). `strata devices` lists the devices.</source>
        <translation>没有名为“%1”的设备（应为 %2）。`strata devices` 会列出所有设备。</translation>
    </message>
    <message>
        <source>there is no pass &quot;%1&quot;. Did you mean &quot;%2&quot;?</source>
        <translation>没有名为“%1”的优化遍。您是指“%2”吗？</translation>
    </message>
    <message>
        <source>%1 is %2 (expected 1 to %3, or -1 for the last dimension). Set it to -1.</source>
        <translation>%1 为 %2（应为 1 到 %3，或用 -1 表示最后一维）。请设为 -1。</translation>
    </message>
    <message>
        <source>the inputs have %1 and %2 values along axes (expected the same number). Choose other axes.</source>
        <translation>两个输入沿 axes 分别有 %1 个和 %2 个值（应相同）。请选择其他轴。</translation>
    </message>
    <message>
        <source>a window of %1 steps does not fit into a sequence of %2 steps (expected a window no longer than the sequence). Make the window shorter, or set padding to same.</source>
        <translation>%1 步的窗口超出了 %2 步的序列（窗口不应长于序列）。请缩短窗口，或将 padding 设为 same。</translation>
    </message>
    <message>
        <source>%1 removes all %2 elements along one dimension of the input %3 (expected at least one to remain). Make %1 smaller.</source>
        <translation>%1 会裁去输入 %3 某一维的全部 %2 个元素（应至少保留一个）。请减小 %1。</translation>
    </message>
    <message>
        <source>output_padding is %1 (expected less than %2, the value of strides). Make it smaller.</source>
        <translation>output_padding 为 %1（应小于 strides 的值 %2）。请减小它。</translation>
    </message>
    <message>
        <source>dims is %1 (expected each number from 1 to %2 once). List every dimension of the input.</source>
        <translation>dims 为 %1（1 到 %2 应各出现一次）。请列出输入的每个维度。</translation>
    </message>
    <message>
        <source>the input has %1 channels (expected a multiple of %2, the square of upscale_factor). Change one of them.</source>
        <translation>输入有 %1 个通道（应为 upscale_factor 的平方 %2 的倍数）。请修改其中之一。</translation>
    </message>
    <message>
        <source>the query has %1 features, but the key has %2 (expected the same number). Insert a Dense before one of them.</source>
        <translation>查询有 %1 个特征，而键有 %2 个（两者应相同）。请在其中一个之前插入 Dense。</translation>
    </message>
    <message>
        <source>the key %1 has %2 steps, but the value has %3 (expected the same number). Make both the same length.</source>
        <translation>键 %1 有 %2 步，而值有 %3 步（两者应相同）。请使两者的步数相同。</translation>
    </message>
    <message>
        <source>num_query_heads is %1 (expected a multiple of %2, the value of num_key_value_heads). Change one of them.</source>
        <translation>num_query_heads 为 %1（应为 num_key_value_heads 的值 %2 的倍数）。请修改其中之一。</translation>
    </message>
    <message>
        <source>a window of %1 elements does not fit into a dimension of %2 elements (expected at most %2). Make the window smaller, or set padding to same.</source>
        <translation>%1 个元素的窗口超出了只有 %2 个元素的维度（最多 %2 个）。请缩小窗口，或将 padding 设为 same。</translation>
    </message>
    <message>
        <source>the input has %1 steps (expected at most %2, the value of sequence_length). Set sequence_length to %1 or more.</source>
        <translation>输入有 %1 步（应不超过 sequence_length 的值 %2）。请将 sequence_length 设为 %1 或更大。</translation>
    </message>
    <message>
        <source>the input has %1 features (expected an even number). Insert a Dense with an even number of units before this layer.</source>
        <translation>输入有 %1 个特征（应为偶数）。请在该层之前插入单元数为偶数的 Dense。</translation>
    </message>
    <message>
        <source>it adapts to the training data, but its input is %1 (expected an Input layer). Place it directly after the Input layer, or set its values.</source>
        <translation>它需要根据训练数据确定数值，但它的输入是 %1（应为 Input 层）。请将它直接放在 Input 层之后，或自行设置数值。</translation>
    </message>
    <message>
        <source>exactly one of bin_boundaries and num_bins must be set (expected 1, got %1). Set only one of them.</source>
        <translation>bin_boundaries 和 num_bins 必须且只能设置一个（应为 1 个，实际为 %1 个）。请只设置其中之一。</translation>
    </message>
    <message>
        <source>the equation is &quot;%1&quot; (expected %2, such as &quot;abc,cd-&gt;abd&quot; or &quot;...x,xy-&gt;...y&quot;). Correct it.</source>
        <translation>等式是“%1”（应为 %2，例如 &quot;abc,cd-&gt;abd&quot; 或 &quot;...x,xy-&gt;...y&quot;）。请更正。</translation>
    </message>
    <message>
        <source>the equation has %1 input dimensions, but the input has %2 including the batch (expected the same number). Correct the equation.</source>
        <translation>等式中的输入有 %1 个维度，而实际输入连同批维度有 %2 个（两者应相同）。请更正等式。</translation>
    </message>
    <message>
        <source>output_shape has %1 entries, but the output of the equation has %2 dimensions without the batch (expected the same number). Change output_shape.</source>
        <translation>output_shape 有 %1 项，而等式的输出除批维度外有 %2 个维度（两者应相同）。请修改 output_shape。</translation>
    </message>
    <message>
        <source>the letter %1 has size %2 in output_shape but %3 in the input (expected the same size). Change output_shape.</source>
        <translation>字母 %1 的大小在 output_shape 中为 %2，在输入中为 %3（两者应相同）。请修改 output_shape。</translation>
    </message>
    <message>
        <source>bias_axes contains %1 (expected letters of the output, %2). Correct it.</source>
        <translation>bias_axes 含有 %1（应为输出 %2 中的字母）。请更正。</translation>
    </message>
    <message>
        <source>error at character %1 of the formula (expected %3 arguments, got %2). Correct it.</source>
        <translation>公式第 %1 个字符处有错误（应有 %3 个参数，实际为 %2）。请更正。</translation>
    </message>
    <message>
        <source>error at character %1 of the formula (expected %3, got %2). Correct it.</source>
        <translation>公式第 %1 个字符处有错误（应为 %3，实际为 %2）。请更正。</translation>
    </message>
    <message>
        <source>initial_values has %1 numbers for %2 parameters (expected one number, or one per parameter). Change initial_values.</source>
        <translation>initial_values 有 %1 个数，而参数有 %2 个（应为一个数，或每个参数一个）。请修改 initial_values。</translation>
    </message>
    <message>
        <source>the parameter %1 has an invalid name (expected letters and digits, and not the name of an input or function). Rename it.</source>
        <translation>参数 %1 的名称无效（应由字母和数字组成，且不与输入或函数同名）。请重命名。</translation>
    </message>
    <message>
        <source>axis of the constraint is %1, but %2 has the shape %3 (expected one of its axes). Change axis.</source>
        <translation>约束的 axis 为 %1，但 %2 的形状为 %3（应为它的某个轴）。请修改 axis。</translation>
    </message>
    <message>
        <source>%1 does not support weights of shape %2 (expected a matrix). Choose another one.</source>
        <translation>%1 不支持形状为 %2 的权重（应为矩阵）。请另选一个。</translation>
    </message>
    <message>
        <source>orthogonal_regularizer needs a one-dimensional output (expected [features], got %1). Choose another regularizer.</source>
        <translation>orthogonal_regularizer 需要一维输出（应为 [features]，实际为 %1）。请选择其他正则化方法。</translation>
    </message>
    <message>
        <source>only one of mean and variance is set (expected both, or neither to compute them from the data). Set %1.</source>
        <translation>mean 和 variance 只设置了一个（应同时设置，或都不设置以便根据数据计算）。请设置 %1。</translation>
    </message>
    <message>
        <source>%1 has %2 numbers (expected 1 or %3, one per input channel). Change %1.</source>
        <translation>%1 有 %2 个数（应为 1 个，或每个输入通道一个，即 %3 个）。请修改 %1。</translation>
    </message>
    <message>
        <source>%1 has %2 numbers (expected one number, or a lower and an upper bound). Change %1.</source>
        <translation>%1 有 %2 个数（应为一个数，或下限和上限）。请修改 %1。</translation>
    </message>
    <message>
        <source>%1 has the type %2 (expected a recurrent layer: SimpleRNN, GRU, LSTM or ConvLSTM2D). Choose one of them.</source>
        <translation>%1 的类型为 %2（应为循环层：SimpleRNN、GRU、LSTM 或 ConvLSTM2D）。请选择其中之一。</translation>
    </message>
    <message>
        <source>go_backwards is %1 in both directions (expected true in one and false in the other). Change one of them.</source>
        <translation>两个方向的 go_backwards 都是 %1（应一个为 true，另一个为 false）。请修改其中一个。</translation>
    </message>
    <message>
        <source>return_sequences differs between the two directions (expected the same). Change one of them.</source>
        <translation>两个方向的 return_sequences 不同（应相同）。请修改其中一个。</translation>
    </message>
    <message>
        <source>it has %1 inputs (expected the sequence, or the sequence and the same number of states for each direction). Correct its inputs.</source>
        <translation>它有 %1 个输入（应为一个序列；也可以再加上两个方向的状态，且数量相同）。请更正其输入。</translation>
    </message>
    <message>
        <source>the directions have outputs of shape %1 and %2 (expected the same shape for merge_mode %3). Change units of one of them.</source>
        <translation>两个方向的输出形状为 %1 和 %2（merge_mode 为 %3 时形状应相同）。请修改其中一个的 units。</translation>
    </message>
    <message>
        <source>the input has %1 steps (expected 1 to %2). Use a shorter sequence.</source>
        <translation>输入有 %1 步（应为 1 到 %2）。请使用较短的序列。</translation>
    </message>
    <message>
        <source>the input has the shape %1 (expected at least one step). Choose another input.</source>
        <translation>输入的形状为 %1（至少应有一步）。请选择其他输入。</translation>
    </message>
    <message>
        <source>it has %1 inputs (expected the sequence, or the sequence and the initial %2). Correct its inputs.</source>
        <translation>它有 %1 个输入（应为一个序列；也可以再加上初始的 %2）。请更正其输入。</translation>
    </message>
    <message>
        <source>the state %1 has the shape %2 (expected [%3], the value of units). Change units, or choose another input.</source>
        <translation>状态 %1 的形状为 %2（按 units 的值应为 [%3]）。请修改 units，或选择其他输入。</translation>
    </message>
    <message>
        <source>%1 has an invalid name (expected text without &apos;/&apos; or &apos;:&apos;, got %2). Correct it.</source>
        <translation>%1 的名称无效（应为不含“/”和“:”的文本，实际为 %2）。请更正。</translation>
    </message>
    <message>
        <source>layer has the type %1, which takes several inputs (expected a layer with one input). Choose another layer.</source>
        <translation>layer 的类型为 %1，它需要多个输入（应为只有一个输入的层）。请选择其他层。</translation>
    </message>
    <message>
        <source>the input has the shape %1 (expected a sequence whose steps have at least one dimension). Insert a Reshape before this layer.</source>
        <translation>输入的形状为 %1（应为每个时间步至少有一个维度的序列）。请在该层之前插入 Reshape。</translation>
    </message>
    <message>
        <source>its layer outputs %1 per step (expected at most %2 dimensions). Choose another layer.</source>
        <translation>其内部的层在每个时间步输出 %1（最多 %2 个维度）。请选择其他层。</translation>
    </message>
    <message>
        <source>layer has the type %1, which has no kernel (expected a layer with a kernel, such as Dense or Conv2D). Choose another layer.</source>
        <translation>layer 的类型为 %1，它没有 kernel（应为有 kernel 的层，例如 Dense 或 Conv2D）。请选择其他层。</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1 is not measured (expected one of: %2). Choose one, or add the metric.</source>
        <translation>没有测量 %1（应为以下之一：%2）。请选择一个，或添加该指标。</translation>
    </message>
    <message>
        <source>%1 is not measured (expected one of: %2). Did you mean &quot;%3&quot;?</source>
        <translation>没有测量 %1（应为以下之一：%2）。您是指“%3”吗？</translation>
    </message>
    <message>
        <source>%1 and %2 are both set (expected only one of them). Remove one of them.</source>
        <translation>同时设置了 %1 和 %2（只应设置其中之一）。请删除其中之一。</translation>
    </message>
    <message>
        <source>there is no layer &quot;%1&quot; (expected a name such as conv1, or block/conv1). Correct it.</source>
        <translation>没有名为“%1”的层（应为 conv1、block/conv1 之类的名称）。请更正。</translation>
    </message>
    <message>
        <source>there is no layer &quot;%1&quot; (expected the name of a layer, such as conv1 or block/conv1). Correct it.</source>
        <translation>没有名为“%1”的层（应为 conv1、block/conv1 之类的名称）。请更正。</translation>
    </message>
    <message>
        <source>there is no layer &quot;%1&quot;. Did you mean &quot;%2&quot;?</source>
        <translation>没有名为“%1”的层。您是指“%2”吗？</translation>
    </message>
    <message>
        <source>the state %1 has the shape %2 (expected %3, the output shape of one step). Choose another input.</source>
        <translation>状态 %1 的形状为 %2（应为 %3，与一步的输出形状相同）。请选择其他输入。</translation>
    </message>
    <message>
        <source>its input %1 is not an output of %2 (expected at most %2:%3). Choose an existing output.</source>
        <translation>它的输入 %1 不是 %2 的输出（最后一个输出为 %2:%3）。请选择已有的输出。</translation>
    </message>
    <message>
        <source>its input %1 is a state, but %2 does not return its states (expected %2). Set return_state of %2 to true.</source>
        <translation>它的输入 %1 是状态，但 %2 不返回状态（应为 %2）。请将 %2 的 return_state 设为 true。</translation>
    </message>
    <message>
        <source>its input %1 does not exist because %2 has only one output (expected %2). Use %2.</source>
        <translation>它的输入 %1 不存在，因为 %2 只有一个输出（应为 %2）。请使用 %2。</translation>
    </message>
    <message>
        <source>an input is missing (expected at least %2: %3; got %1). Choose more layers as inputs.</source>
        <translation>缺少输入（至少应为 %2 个：%3；实际为 %1 个）。请选择更多的层作为输入。</translation>
    </message>
    <message>
        <source>stft initializes only the kernel of a Conv1D with one input channel (expected [frame, 1, filters] with at least two filters, got %1). Choose another initializer.</source>
        <translation>stft 只能初始化单输入通道 Conv1D 的 kernel（应为 [frame, 1, filters]，且滤波器至少两个，实际为 %1）。请选择其他初始化方法。</translation>
    </message>
    <message>
        <source>axis of %1 is %2 (expected 1 to %3, or -1 for the last dimension). Set it to -1.</source>
        <translation>%1 的 axis 是 %2（应为 1 到 %3，或 -1 表示最后一维）。请设为 -1。</translation>
    </message>
    <message>
        <source>glu halves axis %1 (expected an even size, got %2). Change axis or the previous layer.</source>
        <translation>glu 将第 %1 维减半（该维的大小应为偶数，实际为 %2）。请修改 axis 或前一层。</translation>
    </message>
    <message>
        <source>%1 is %2, which recurrent layers do not support (expected an element-wise activation such as tanh). Choose another activation.</source>
        <translation>%1 为 %2，循环层不支持它（应为逐元素的激活函数，例如 tanh）。请选择其他激活函数。</translation>
    </message>
    <message>
        <source>attention_axes contains %1 (expected 1 to %2, without the batch and the features). Change it.</source>
        <translation>attention_axes 含有 %1（应为 1 到 %2，不包括批维度和特征维度）。请修改。</translation>
    </message>
    <message>
        <source>%1 is set, but attention_axes has %2 dimensions (expected one). Set attention_axes to one dimension.</source>
        <translation>设置了 %1，但 attention_axes 有 %2 个维度（应为一个）。请将 attention_axes 设为一个维度。</translation>
    </message>
    <message>
        <source>noise_shape is %1 (expected one entry per dimension of %2: the same size, 1 or null). Change it.</source>
        <translation>noise_shape 为 %1（应与 %2 的各维一一对应，每项为相同的大小、1 或 null）。请修改。</translation>
    </message>
    <message>
        <source>output_shape has %1 dimensions (expected at most %2). Use fewer dimensions.</source>
        <translation>output_shape 有 %1 个维度（最多 %2 个）。请减少维度。</translation>
    </message>
    <message>
        <source>%1 has %2 numbers (expected 1 or %3, the size of the last input dimension). Change %1.</source>
        <translation>%1 有 %2 个数（应为 1 个，或与输入最后一维相同的 %3 个）。请修改 %1。</translation>
    </message>
    <message>
        <source>crop_to_aspect_ratio and pad_to_aspect_ratio are both true (expected at most one). Set one of them to false.</source>
        <translation>crop_to_aspect_ratio 和 pad_to_aspect_ratio 都为 true（最多只能有一个）。请将其中一个设为 false。</translation>
    </message>
    <message>
        <source>type has the wrong type (expected the name of a layer type such as &quot;Dense&quot;, got %1). Correct it.</source>
        <translation>type 的类型错误（应为层类型的名称，例如 &quot;Dense&quot;，实际为 %1）。请更正。</translation>
    </message>
    <message>
        <source>inputs has the wrong type (expected a list of layer names, got %1). Correct it.</source>
        <translation>inputs 的类型错误（应为层名称的列表，实际为 %1）。请更正。</translation>
    </message>
    <message>
        <source>an Input layer cannot have inputs (expected none, got %1). Remove inputs.</source>
        <translation>Input 层不能有输入（应为零个，实际为 %1 个）。请删除 inputs。</translation>
    </message>
    <message>
        <source>outputs contains &quot;%1&quot;, which does not exist (expected a layer of the network). Correct the name.</source>
        <translation>outputs 中的“%1”不存在（应为网络中的层）。请更正名称。</translation>
    </message>
    <message>
        <source>outputs lists %1 twice (expected once). Remove one of them.</source>
        <translation>outputs 中 %1 出现了两次（应为一次）。请删除其中一个。</translation>
    </message>
    <message>
        <source>no layer uses its output, and it is not an output of the network (expected %1). Connect it or remove it.</source>
        <translation>没有层使用它的输出，它也不是网络的输出（应为 %1）。请连接它或将其删除。</translation>
    </message>
    <message>
        <source>outputs has the wrong type (expected a list of layer names, got %1). Correct it.</source>
        <translation>outputs 的类型错误（应为层名称的列表，实际为 %1）。请更正。</translation>
    </message>
    <message>
        <source>rmax is %1 (expected at least %2, the value of rmin). Change one of them.</source>
        <translation>rmax 为 %1（应不小于 rmin 的值 %2）。请修改其中之一。</translation>
    </message>
    <message>
        <source>the mask of the input %1 has the shape %2 (expected %3, like the mask of %4). Use inputs with the same number of steps, or without a mask.</source>
        <translation>输入 %1 的掩码形状为 %2（应为 %3，与 %4 的掩码相同）。请使用步数相同的输入，或没有掩码的输入。</translation>
    </message>
    <message>
        <source>%1 has the shape %2 (expected one number, or the shape %3 of the input along axis). Change %1.</source>
        <translation>%1 的形状为 %2（应为一个数，或输入沿 axis 的形状 %3）。请修改 %1。</translation>
    </message>
    <message>
        <source>strides and dilation_rate cannot both be above 1 (expected 1 for one of them, got %1 and %2). Set one of them to 1.</source>
        <translation>strides 和 dilation_rate 不能同时大于 1（其中之一应为 1，实际为 %1 和 %2）。请将其中之一设为 1。</translation>
    </message>
    <message>
        <source>there is no %1 &quot;%2&quot; (expected a name such as &quot;%3&quot;). Did you mean &quot;%3&quot;?</source>
        <translation>没有名为“%2”的%1（应为“%3”之类的名称）。您是指“%3”吗？</translation>
    </message>
    <message>
        <source>axis is %1, the batch dimension (expected 1 to %2, or -1 for the last dimension). Set it to -1.</source>
        <translation>axis 为 %1，即批维度（应为 1 到 %2，或用 -1 表示最后一维）。请设为 -1。</translation>
    </message>
    <message>
        <source>there is no pass &quot;%1&quot; (expected one of %2). Correct it, or remove it.</source>
        <translation>没有名为“%1”的优化遍（应为 %2 之一）。请更正或删除它。</translation>
    </message>
    <message>
        <source>attention_axes lists %1 twice (expected each dimension once). Remove one of them.</source>
        <translation>attention_axes 中 %1 出现了两次（每个维度应只出现一次）。请删除其中一个。</translation>
    </message>
    <message>
        <source>the formula is %1 bytes long (expected at most %2). Split it into several layers.</source>
        <translation>公式长 %1 字节（最多 %2 字节）。请拆成多个层。</translation>
    </message>
    <message>
        <source>parameters lists %1 twice (expected each name once). Remove one of them.</source>
        <translation>parameters 中 %1 出现了两次（每个名称应只出现一次）。请删除其中一个。</translation>
    </message>
    <message>
        <source>value_range is %1 (expected a lower and an upper bound, such as [0, 255]). Change it.</source>
        <translation>value_range 为 %1（应为下限和上限，例如 [0, 255]）。请修改。</translation>
    </message>
    <message>
        <source>bin_boundaries is %1 (expected increasing numbers, such as [0, 1, 2]). Sort them.</source>
        <translation>bin_boundaries 为 %1（应为递增的数，例如 [0, 1, 2]）。请按顺序排列。</translation>
    </message>
    <message>
        <source>%1 lists dimension %2 twice (expected each dimension once, got %3). Remove one of them.</source>
        <translation>%1 中维度 %2 出现了两次（每个维度应只出现一次，实际为 %3）。请删除其中一个。</translation>
    </message>
    <message>
        <source>the output would have %1 dimensions (expected at most %2). Insert a Reshape or Flatten before this layer.</source>
        <translation>输出会有 %1 个维度（最多 %2 个）。请在该层之前插入 Reshape 或 Flatten。</translation>
    </message>
    <message>
        <source>Insert %1 before %2</source>
        <translation>在 %2 前插入 %1</translation>
    </message>
    <message>
        <source>Insert Reshape to %1 before %2</source>
        <translation>在 %2 前插入 Reshape，将形状变为 %1</translation>
    </message>
    <message>
        <source>Set padding of %1 to same</source>
        <translation>将 %1 的 padding 设为 same</translation>
    </message>
    <message>
        <source>Set %1 of %2 to %3</source>
        <translation>将 %2 的 %1 设为 %3</translation>
    </message>
    <message>
        <source>Set %1 of %2 to %3 and padding of %4 to same</source>
        <translation>将 %2 的 %1 设为 %3，并将 %4 的 padding 设为 same</translation>
    </message>
    <message>
        <source>Add %1 as input</source>
        <translation>将 %1 添加为输入</translation>
    </message>
    <message>
        <source>Add Flatten and Dense with %1 units</source>
        <translation>添加 Flatten 和单元数为 %1 的 Dense</translation>
    </message>
    <message>
        <source>%1 needs class numbers as targets, but the targets of the data are numeric values. Choose mean_squared_error, or another source.</source>
        <translation>%1 要求目标为类别编号，而数据的目标是数值。请选择 mean_squared_error，或另一个数据源。</translation>
    </message>
    <message>
        <source>the output has the shape %1 (expected [%2], one number for each class). Insert Flatten before the last Dense, or add both at the end.</source>
        <translation>输出的形状为 %1（应为 [%2]，每个类别一个数）。请在最后的 Dense 之前插入 Flatten，或在末尾添加这两层。</translation>
    </message>
    <message>
        <source>the network has %1 outputs (expected at least %2, one for each class of the data). Increase the size of the last layer.</source>
        <translation>网络有 %1 个输出（至少应为 %2 个，数据的每个类别一个）。请增大最后一层。</translation>
    </message>
    <message>
        <source>the output has the shape %1 (expected %2 values, like the targets of the data). Change its size or the loss.</source>
        <translation>输出的形状为 %1（应为 %2 个值，与数据的目标相同）。请修改输出的大小，或更换损失。</translation>
    </message>
    <message>
        <source>it ends in %1, but from_logits of the loss is true. The loss is computed from the values before %1; set from_logits to false.</source>
        <translation>它以 %1 结尾，但损失的 from_logits 为 true。损失将由 %1 之前的值计算；请将 from_logits 设为 false。</translation>
    </message>
    <message>
        <source>the loss %1 expects probabilities, but the network ends in %2 (expected %3). Change the activation, or set from_logits of the loss to true.</source>
        <translation>损失 %1 要求输出为概率，而网络以 %2 结尾（应为 %3）。请修改激活函数，或将损失的 from_logits 设为 true。</translation>
    </message>
    <message>
        <source>the network has one output, but %1 needs one output for each class, so nothing is learned. Use one output for each class.</source>
        <translation>网络只有一个输出，而 %1 要求每个类别一个输出，因此什么也学不到。请让每个类别对应一个输出。</translation>
    </message>
    <message>
        <source>the metric %1 compares values, but the targets of %2 are class numbers. Use accuracy.</source>
        <translation>指标 %1 用于比较数值，而 %2 的目标是类别编号。请使用 accuracy。</translation>
    </message>
    <message>
        <source>the device &quot;%1&quot; is not usable: %2</source>
        <translation>设备“%1”不可用：%2</translation>
    </message>
    <message>
        <source>the network has %1 output (expected at least %2, one for each class of the data). Increase the size of the last layer.</source>
        <translation>网络有 %1 个输出（至少应为 %2 个，数据的每个类别一个）。请增大最后一层。</translation>
    </message>
    <message>
        <source>the output has the shape %1 (expected %2 value, like the targets of the data). Change its size or the loss.</source>
        <translation>输出的形状为 %1（应为 %2 个值，与数据的目标相同）。请修改输出的大小，或更换损失。</translation>
    </message>
    <message>
        <source>values has %1 rates and boundaries has %2 steps (expected one more rate than steps, and at least one step). Add or remove values.</source>
        <translation>values 有 %1 个学习率，boundaries 有 %2 个步数（学习率应比步数多一个，且步数至少一个）。请增减数值。</translation>
    </message>
    <message>
        <source>boundaries has %1 after %2 (expected increasing steps). Sort the steps.</source>
        <translation>boundaries 中 %1 排在 %2 之后（步数应递增）。请按顺序排列。</translation>
    </message>
    <message>
        <source>the number of samples that count in the loss differs between micro-batches (%1), so the loss would weight the samples unequally: gradient_accumulation_steps is %2 (expected 1). Set it to 1, or set reduction of the loss to sum.</source>
        <translation>各微批次中计入损失的样本数不同（%1），因此各样本在损失中的权重会不相等：gradient_accumulation_steps 为 %2（应为 1）。请将其设为 1，或将损失的 reduction 设为 sum。</translation>
    </message>
    <message>
        <source>batch_size is %1, but there are only %2 training samples (expected at most %2), so every epoch is a single step. Lower batch_size.</source>
        <translation>batch_size 为 %1，但只有 %2 个训练样本（最多 %2），因此每轮只有一步。请减小 batch_size。</translation>
    </message>
    <message>
        <source>the data has indices from 0 to %1 (expected at most %2, because input_dim is %3). Increase input_dim.</source>
        <translation>数据中的索引为 0 到 %1（因 input_dim 为 %3，最大应为 %2）。请增大 input_dim。</translation>
    </message>
    <message>
        <source>the output has the shape %1 (expected [steps, classes]). Set return_sequences of recurrent layers to true, and end with a Dense layer.</source>
        <translation>输出的形状为 %1（应为 [步数, 类别数]）。请将循环层的 return_sequences 设为 true，并以 Dense 层结束。</translation>
    </message>
    <message>
        <source>the targets have the shape %1 (expected at most %2 labels per sample, one for each step of the output). Give the output more steps.</source>
        <translation>目标的形状为 %1（每个样本最多应有 %2 个标签，输出的每一步一个）。请增加输出的步数。</translation>
    </message>
    <message>
        <source>the metric %1 compares outputs and labels step by step, but the labels of %2 have no positions (expected no metrics). Remove it.</source>
        <translation>指标 %1 逐步比较输出和标签，但 %2 的标签没有位置（不应有指标）。请将其删除。</translation>
    </message>
    <message>
        <source>mode is auto, but it cannot be inferred from %1 whether smaller or larger is better (expected min or max). Set mode.</source>
        <translation>mode 为 auto，但无法由 %1 判断越小越好还是越大越好（应为 min 或 max）。请设置 mode。</translation>
    </message>
    <message>
        <source>%1 monitors %2, but there are no validation samples (expected a validation_split above 0). Set validation_split of the data, or monitor %3.</source>
        <translation>%1 监控 %2，但没有验证样本（validation_split 应大于 0）。请设置数据的 validation_split，或改为监控 %3。</translation>
    </message>
    <message>
        <source>%1 cannot change during training (expected one of: %2). Choose one.</source>
        <translation>%1 不能在训练中改变（应为以下之一：%2）。请选择一个。</translation>
    </message>
    <message>
        <source>%1 cannot change during training (expected one of: %2). Did you mean &quot;%3&quot;?</source>
        <translation>%1 不能在训练中改变（应为以下之一：%2）。您是指“%3”吗？</translation>
    </message>
    <message>
        <source>the last stage lasts until the end of training, so its %1 has no effect. Remove it.</source>
        <translation>最后一个阶段持续到训练结束，因此其 %1 不起作用。请将其删除。</translation>
    </message>
    <message>
        <source>it has neither epochs nor steps (expected one of them, because another stage follows). Add one.</source>
        <translation>它既没有 epochs 也没有 steps（因为后面还有阶段，应设置其中之一）。请添加。</translation>
    </message>
    <message>
        <source>%1 needs a probability for each class as target, but the data has class numbers. Choose sparse_categorical_crossentropy, or add the transform one_hot.</source>
        <translation>%1 要求目标为每个类别的概率，而数据的目标是类别编号。请选择 sparse_categorical_crossentropy，或添加变换 one_hot。</translation>
    </message>
    <message>
        <source>it is stateful, but %1 samples cannot be divided into batches of %2 (expected batches of equal size, because the state continues in the next batch). Change batch_size, or the number of samples.</source>
        <translation>该层为 stateful，但 %1 个样本不能平均分成每批 %2 个的批次（各批大小应相同，因为状态会延续到下一批）。请修改 batch_size 或样本数。</translation>
    </message>
    <message>
        <source>callbacks has the wrong type (expected a list, got %1). Write [{&quot;type&quot;: &quot;EarlyStopping&quot;}].</source>
        <translation>callbacks 的类型错误（应为列表，实际为 %1）。请写成 [{&quot;type&quot;: &quot;EarlyStopping&quot;}]。</translation>
    </message>
    <message>
        <source>disabled_passes has the wrong type (expected a list of names, got %1). Correct it.</source>
        <translation>disabled_passes 的类型错误（应为名称的列表，实际为 %1）。请更正。</translation>
    </message>
    <message>
        <source>changes has the wrong type (expected a list, got %1). Write [{&quot;step&quot;: 100, &quot;name&quot;: &quot;learning_rate&quot;, &quot;value&quot;: 0.001}].</source>
        <translation>changes 的类型错误（应为列表，实际为 %1）。请写成 [{&quot;step&quot;: 100, &quot;name&quot;: &quot;learning_rate&quot;, &quot;value&quot;: 0.001}]。</translation>
    </message>
    <message>
        <source>a change has the wrong type (expected an object with step, name and value, got %1). Correct it.</source>
        <translation>某项变更的类型错误（应为含有 step、name 和 value 的对象，实际为 %1）。请更正。</translation>
    </message>
    <message>
        <source>a stage has the wrong type (expected an object such as {&quot;epochs&quot;: 2, &quot;trainable&quot;: [&quot;out&quot;]}, got %1). Correct it.</source>
        <translation>某个阶段的类型错误（应为对象，例如 {&quot;epochs&quot;: 2, &quot;trainable&quot;: [&quot;out&quot;]}，实际为 %1）。请更正。</translation>
    </message>
    <message>
        <source>stages has the wrong type (expected a list, got %1). Write [{&quot;epochs&quot;: 1}, {}].</source>
        <translation>stages 的类型错误（应为列表，实际为 %1）。请写成 [{&quot;epochs&quot;: 1}, {}]。</translation>
    </message>
    <message>
        <source>its output is not connected to anything, but the network already ends in %1 (expected one output, or a loss for each). Connect it, remove it, or give each output a loss.</source>
        <translation>它的输出没有连接到任何层，而网络已以 %1 结尾（应只有一个输出，或每个输出各有损失）。请连接它、将其删除，或为每个输出设置损失。</translation>
    </message>
    <message>
        <source>class_weight needs a network with one trained output (expected 1, got %1). Remove class_weight, or use sample weights.</source>
        <translation>class_weight 要求网络只有一个参与训练的输出（应为 1 个，实际为 %1 个）。请删除 class_weight，或使用样本权重。</translation>
    </message>
    <message>
        <source>loss must have one entry for each output (expected %1, for %2, got %3). Give each output a loss.</source>
        <translation>loss 必须为每个输出各给一项（应为 %1 项，对应 %2，实际为 %3）。请为每个输出设置损失。</translation>
    </message>
    <message>
        <source>%1 contains &quot;%2&quot;, which is not an output of the network (expected %3, got %2). Correct the name.</source>
        <translation>%1 中的“%2”不是网络的输出（应为 %3，实际为 %2）。请更正名称。</translation>
    </message>
    <message>
        <source>%1 must state which entry belongs to which output (expected an object with output names as keys, or a list of %2 entries, for %3, got %4). Use one of these forms.</source>
        <translation>%1 必须说明各项属于哪个输出（应为以输出名称为键的对象，或含 %2 项的列表，对应 %3，实际为 %4）。请写成其中一种形式。</translation>
    </message>
    <message>
        <source>the loss weight of %1 has the wrong type (expected a number, got %2). Correct it.</source>
        <translation>%1 的损失权重类型错误（应为数字，实际为 %2）。请更正。</translation>
    </message>
    <message>
        <source>no output has a loss (expected one for at least one of %1, got null). Set a loss for an output.</source>
        <translation>没有任何输出设置了损失（%1 中至少应有一个设置损失，实际为 null）。请为某个输出设置损失。</translation>
    </message>
    <message>
        <source>the output %1 has no loss (expected one for each of %2, got %3). Add a loss, connect %1 to another layer, or set its loss to null if it should not be trained.</source>
        <translation>输出 %1 没有损失（%2 各应有一个，实际有 %3）。请添加损失，或将 %1 连接到其他层；如果不需要训练它，请将其损失设为 null。</translation>
    </message>
    <message>
        <source>%1 has no loss, so its metrics are not measured (expected no metrics, got %2). Remove the metrics, or set a loss.</source>
        <translation>%1 没有损失，因此不会测量其指标（不应有指标，实际为 %2）。请删除这些指标，或为它设置损失。</translation>
    </message>
    <message>
        <source>ReduceLROnPlateau needs a constant learning rate, but %1 is a schedule. Remove one of them.</source>
        <translation>ReduceLROnPlateau 需要固定的学习率，而 %1 是学习率调度。请删除其中之一。</translation>
    </message>
    <message>
        <source>it is stateful, but batches are split into %1 micro-batches, and its state must continue from one batch to the next (expected gradient_accumulation_steps 1). Set it to 1.</source>
        <translation>该层为 stateful，其状态必须从一个批次延续到下一个批次，但每批被分成了 %1 个微批次（gradient_accumulation_steps 应为 1）。请将其设为 1。</translation>
    </message>
    <message>
        <source>%1 has the wrong type (expected a list, got %2). Write [&quot;accuracy&quot;].</source>
        <translation>%1 的类型错误（应为列表，实际为 %2）。请写成 [&quot;accuracy&quot;]。</translation>
    </message>
    <message>
        <source>this stage trains no layer (expected at least one, got []). List layers, or remove trainable.</source>
        <translation>这个阶段不训练任何层（至少应有一层，实际为 []）。请列出要训练的层，或删除 trainable。</translation>
    </message>
    <message>
        <source>stage %1 never starts: the stages before it last %2 epochs (expected fewer than the %3 epochs of training). Increase epochs of training.</source>
        <translation>第 %1 个阶段永远不会开始：它之前的阶段共 %2 轮（应少于训练的 %3 轮）。请增加训练的 epochs。</translation>
    </message>
    <message>
        <source>none of these layers has weights (expected at least one with weights), so this stage learns nothing. List other layers.</source>
        <translation>这些层都没有权重（至少应有一层带权重），因此这个阶段什么也学不到。请列出其他层。</translation>
    </message>
    <message>
        <source>all layers with weights are frozen (expected at least one trainable layer), so this stage learns nothing. Freeze fewer layers.</source>
        <translation>所有带权重的层都已冻结（至少应有一层可训练），因此这个阶段什么也学不到。请少冻结几层。</translation>
    </message>
    <message>
        <source>a batch of %1 samples cannot be split into %2 micro-batches (expected at most %1), so it is split into %1. Lower gradient_accumulation_steps.</source>
        <translation>%1 个样本的批次不能分成 %2 个微批次（最多 %1 个），因此分成 %1 个。请减小 gradient_accumulation_steps。</translation>
    </message>
    <message>
        <source>class %1 has a weight, but the data only has the classes 0 to %2. Remove it.</source>
        <translation>类别 %1 设有权重，但数据只有类别 0 到 %2。请将其删除。</translation>
    </message>
    <message>
        <source>%1 has no effect, because the pass %2 is disabled. Set it to none, or remove %2 from %3.</source>
        <translation>%1 不起作用，因为优化遍 %2 已停用。请将其设为 none，或从 %3 中删除 %2。</translation>
    </message>
    <message>
        <source>the change of %1 at step %2 has no effect: training ends at step %3 (expected at most %3). Lower its step, or increase epochs of training.</source>
        <translation>%1 在第 %2 步的变更不会生效：训练到第 %3 步结束（最多 %3）。请减小其步数，或增加训练的 epochs。</translation>
    </message>
    <message>
        <source>the network has %1 outputs, but the data has only %2 classes (expected one output for each class), so the other outputs are unused.</source>
        <translation>网络有 %1 个输出，而数据只有 %2 个类别（每个类别应有一个输出），因此其余输出不会用到。</translation>
    </message>
    <message>
        <source>%1 has no effect, because the precision is %2 (expected float16). Remove it.</source>
        <translation>%1 不起作用，因为精度为 %2（应为 float16）。请将其删除。</translation>
    </message>
    <message>
        <source>loss_scale has the wrong type (expected dynamic or a number above 0, got %1). Correct it.</source>
        <translation>loss_scale 的类型错误（应为 dynamic 或大于 0 的数，实际为 %1）。请更正。</translation>
    </message>
    <message>
        <source>there is no device &quot;%1&quot; (expected simulated:NAME). Did you mean &quot;%2&quot;? `strata devices --catalogue` lists the cards.</source>
        <translation>没有名为“%1”的设备（应为 simulated:名称）。是否想用“%2”？`strata devices --catalogue` 会列出所有显卡。</translation>
    </message>
    <message>
        <source>there is no device &quot;%1&quot; (expected simulated:NAME). `strata devices --catalogue` lists the cards.</source>
        <translation>没有名为“%1”的设备（应为 simulated:名称）。`strata devices --catalogue` 会列出所有显卡。</translation>
    </message>
    <message>
        <source>&quot;%1&quot; matches several cards (expected one of: %2). Choose one.</source>
        <translation>“%1”与多款显卡相符（应为以下之一：%2）。请选择一款。</translation>
    </message>
    <message>
        <source>%1 cannot be simulated, because %2. Choose another device.</source>
        <translation>%1 无法模拟，因为%2。请选择其他设备。</translation>
    </message>
    <message>
        <source>%1 cannot be simulated: %2</source>
        <translation>%1 无法模拟：%2</translation>
    </message>
    <message>
        <source>there is no device &quot;%1&quot; (expected cpu, reference, cuda:0 or simulated:NAME). Choose one.</source>
        <translation>没有设备“%1”（应为 cpu、reference、cuda:0 或 simulated:NAME）。请选择一个。</translation>
    </message>
    <message>
        <source>the precision %1 is for NVIDIA GPUs, and the device is &quot;%3&quot; (expected %2). Set it to float32, or choose another device.</source>
        <translation>精度 %1 用于 NVIDIA GPU，而设备是“%3”（应为 %2）。请设为 float32，或选择其他设备。</translation>
    </message>
    <message>
        <source>%1 has the wrong type (expected an algorithm by op and layer, such as {&quot;conv1&quot;: {&quot;conv2d&quot;: &quot;eng5&quot;}}, got %2). Correct it, or remove it.</source>
        <translation>%1 的类型不对（应为按层和运算列出的算法，例如 {&quot;conv1&quot;: {&quot;conv2d&quot;: &quot;eng5&quot;}}，实际为 %2）。请更正或移除。</translation>
    </message>
    <message>
        <source>class_weight is &quot;balanced&quot;, but the targets are not classes (expected class numbers, or 0 and 1). Remove class_weight.</source>
        <translation>class_weight 为 &quot;balanced&quot;，但目标不是类别（应为类别编号，或 0 和 1）。请删除 class_weight。</translation>
    </message>
    <message>
        <source>the weight of &quot;%1&quot; is that of class number %1, which is &quot;%2&quot;, not that of the class named &quot;%1&quot;, which is number %3. Use %3 if you mean the name.</source>
        <translation>“%1”的权重用于编号为 %1 的类别，即“%2”，而不是名为“%1”的类别（其编号为 %3）。如果您指的是名称，请使用 %3。</translation>
    </message>
    <message>
        <source>class_weight names the class &quot;%1&quot;, which the data does not have (expected one of: %2). Correct the name.</source>
        <translation>class_weight 中的类别“%1”在数据中不存在（应为以下之一：%2）。请更正名称。</translation>
    </message>
    <message>
        <source>class_weight names the class &quot;%1&quot;, which the data does not have. Did you mean &quot;%2&quot;?</source>
        <translation>class_weight 中的类别“%1”在数据中不存在。您是指“%2”吗？</translation>
    </message>
    <message>
        <source>value %1 of the sample is %2 (expected 0 to %3, the indices of %4). Correct the data, or raise %5 of the layer.</source>
        <translation>样本的第 %1 个值为 %2（应为 0 到 %3，即 %4 的索引）。请更正数据，或增大该层的 %5。</translation>
    </message>
    <message>
        <source>value %1 of the sample is %2 (expected a whole number from 0 to %3, an index of %4). Correct the data.</source>
        <translation>样本的第 %1 个值为 %2（应为 0 到 %3 的整数，即 %4 的索引）。请更正数据。</translation>
    </message>
    <message>
        <source>all values of the sample are %1, so %2 masks all of its steps, and %3 has nothing to average (0 divided by 0). Remove the sample, or give it at least one other value.</source>
        <translation>样本的所有值均为 %1，因此 %2 会掩盖它的所有时间步，%3 没有可求平均的值（0 除以 0）。请删除该样本，或使其至少有一个其他值。</translation>
    </message>
    <message>
        <source>the metric %1 has no value: it correlates the outputs of each sample, and a sample has only 1 (expected at least 2). Use r2_score.</source>
        <translation>指标 %1 没有值：它计算每个样本各输出的相关性，而每个样本只有 1 个输出（至少应为 2 个）。请使用 r2_score。</translation>
    </message>
    <message>
        <source>the metric %1 is always 1, because k is %2 and the network has %3 outputs (expected k below the number of outputs). Set k to a smaller number.</source>
        <translation>指标 %1 始终为 1，因为 k 为 %2，而网络有 %3 个输出（k 应小于输出的个数）。请将 k 设为更小的数。</translation>
    </message>
    <message>
        <source>the exact metric %1 needs %2 of memory for the outputs of all samples (expected at most %3). Set num_thresholds to a number, such as 1000.</source>
        <translation>精确计算的指标 %1 需要 %2 内存来保存所有样本的输出（最多 %3）。请将 num_thresholds 设为一个数，例如 1000。</translation>
    </message>
    <message>
        <source>the metric %1 has no value for the %2 samples: all of their targets are %3 (expected two classes). Change the split, or use accuracy.</source>
        <translation>指标 %1 在%2样本上没有值：所有目标均为 %3（应有两个类别）。请修改划分，或使用 accuracy。</translation>
    </message>
    <message>
        <source>the metric %1 compares targets of 0 and 1, but a target is %2 (expected 0 or 1). Use a metric of values, such as mean_absolute_error.</source>
        <translation>指标 %1 用于比较 0 和 1 的目标，但有一个目标为 %2（应为 0 或 1）。请使用用于数值的指标，例如 mean_absolute_error。</translation>
    </message>
    <message>
        <source>%1 needs class numbers as targets, but the targets of the data are one-hot (one 1 and otherwise 0). Choose categorical_crossentropy.</source>
        <translation>%1 要求目标为类别编号，而数据的目标是 one-hot（一个 1，其余为 0）。请选择 categorical_crossentropy。</translation>
    </message>
    <message>
        <source>the data has %1 classes (expected 2, because %2 compares targets of two classes). Choose sparse_categorical_crossentropy for class numbers.</source>
        <translation>数据有 %1 个类别（应为 2 个，因为 %2 比较两个类别的目标）。对于类别编号，请选择 sparse_categorical_crossentropy。</translation>
    </message>
    <message>
        <source>the loss %1 expects positive outputs, but the network ends in %2, which may be negative (expected softplus or exponential). Change the activation.</source>
        <translation>损失 %1 要求输出为正数，而网络以 %2 结尾，其值可能为负（应为 softplus 或 exponential）。请修改激活函数。</translation>
    </message>
    <message>
        <source>the loss %1 expects a positive or negative score, but the network ends in %2, which is never negative (expected linear or tanh). Change the activation.</source>
        <translation>损失 %1 要求输出为可正可负的分数，而网络以 %2 结尾，其值永不为负（应为 linear 或 tanh）。请修改激活函数。</translation>
    </message>
    <message>
        <source>the loss %1 expects probabilities, but the network ends in %2 (expected %3). Change the activation.</source>
        <translation>损失 %1 要求输出为概率，而网络以 %2 结尾（应为 %3）。请修改激活函数。</translation>
    </message>
    <message>
        <source>the targets of the sample sum to %1 (expected 1, because %2 compares probabilities). Correct them, or choose binary_crossentropy with sigmoid if several classes can be true at once.</source>
        <translation>样本的目标之和为 %1（应为 1，因为 %2 比较概率）。请更正目标；如果多个类别可以同时成立，请选择 binary_crossentropy 并使用 sigmoid。</translation>
    </message>
    <message>
        <source>the label is %1 (expected 0 to %2, the outputs of %3). Correct the label, or give the network more outputs.</source>
        <translation>标签为 %1（应为 0 到 %2，即 %3 的输出）。请更正标签，或增加网络的输出。</translation>
    </message>
    <message>
        <source>the target is %1 (expected -1 and 1, or 0 and 1, because %2 separates two classes). Change the targets to -1 and 1.</source>
        <translation>目标为 %1（应为 -1 和 1，或 0 和 1，因为 %2 区分两个类别）。请将目标改为 -1 和 1。</translation>
    </message>
    <message>
        <source>the target is %1 (expected 0 or more, because %2 does not accept negative targets). Correct it, or choose mean_squared_error.</source>
        <translation>目标为 %1（应不小于 0，因为 %2 不接受负的目标）。请更正，或选择 mean_squared_error。</translation>
    </message>
    <message>
        <source>the target is %1 (expected another value, because %2 divides by the target). Choose mean_absolute_error.</source>
        <translation>目标为 %1（应为其他值，因为 %2 要除以目标）。请选择 mean_absolute_error。</translation>
    </message>
    <message>
        <source>the target is %1 (expected 0 to 1, because %2 compares probabilities). Change the targets %3 and %4 to 0 and 1.</source>
        <translation>目标为 %1（应为 0 到 1，因为 %2 比较概率）。请将目标 %3 和 %4 改为 0 和 1。</translation>
    </message>
    <message>
        <source>the target is %1 (expected 0 to 1, because %2 compares probabilities). Choose sparse_categorical_crossentropy for class numbers.</source>
        <translation>目标为 %1（应为 0 到 1，因为 %2 比较概率）。对于类别编号，请选择 sparse_categorical_crossentropy。</translation>
    </message>
    <message>
        <source>the target is %1 (expected 0 to 1, because %2 compares probabilities). Choose mean_squared_error for measured values, or scale the targets.</source>
        <translation>目标为 %1（应为 0 到 1，因为 %2 比较概率）。对于测量值，请选择 mean_squared_error，或缩放目标。</translation>
    </message>
    <message>
        <source>Divide by %1</source>
        <translation>除以 %1</translation>
    </message>
    <message>
        <source>the network has too many layers (expected at most %1). Remove some of them.</source>
        <translation>网络的层太多（最多 %1 层）。请删除一部分。</translation>
    </message>
    <message>
        <source>%1 has %2 entries (expected at most %3). Remove some of them.</source>
        <translation>%1 有 %2 项（最多 %3 项）。请删除一部分。</translation>
    </message>
    <message>
        <source>class_weight has the wrong type (expected a number of at least 0 for each class, as in {&quot;0&quot;: 1.0, &quot;cat&quot;: 3.0}, or &quot;balanced&quot;, got %1). Correct it.</source>
        <translation>class_weight 的类型错误（应为每个类别一个不小于 0 的数，例如 {&quot;0&quot;: 1.0, &quot;cat&quot;: 3.0}，或 &quot;balanced&quot;，实际为 %1）。请更正。</translation>
    </message>
    <message>
        <source>the card %1 has no arithmetic in %2, so products are not faster than in float32 (expected another precision). Set it to float32.</source>
        <translation>显卡 %1 不支持 %2 运算，因此乘积运算不比 float32 快（应为其他精度）。请设为 float32。</translation>
    </message>
    <message>
        <source>accuracy compares only the largest output with the largest target, as in Keras, but several outputs can be true at once. Use binary_accuracy.</source>
        <translation>accuracy 与 Keras 一样，只比较最大的输出和最大的目标，而这里可以有多个输出同时为真。请使用 binary_accuracy。</translation>
    </message>
    <message>
        <source>the labels of the data begin at 1 (expected 0 to %1, got 1 to %2), so the network has no output for the last class. Subtract 1 from the labels, or add an output that stays unused.</source>
        <translation>数据的标签从 1 开始（应为 0 到 %1，实际为 1 到 %2），因此网络没有对应最后一个类别的输出。请将标签减 1，或增加一个不被使用的输出。</translation>
    </message>
    <message>
        <source>the data has the label %1, but the network has %2 outputs (expected 0 to %3). If %1 marks samples without a class, set ignore_class of the loss to %1. Otherwise, increase the size of the last layer.</source>
        <translation>数据含有标签 %1，而网络有 %2 个输出（应为 0 到 %3）。如果 %1 标记没有类别的样本，请将损失的 ignore_class 设为 %1；否则请增大最后一层的大小。</translation>
    </message>
    <message>
        <source>%1 needs class numbers as targets, but the targets of the data are one-hot (one %2 and otherwise 0). Change them to class numbers.</source>
        <translation>%1 要求目标为类别编号，而数据的目标是 one-hot（一个 %2，其余为 0）。请将其改为类别编号。</translation>
    </message>
    <message>
        <source>%1 needs class numbers as targets, but the targets of the data are one-hot (one %2 and otherwise 0). Choose categorical_crossentropy, and divide the targets by %2.</source>
        <translation>%1 要求目标为类别编号，而数据的目标是 one-hot（一个 %2，其余为 0）。请选择 categorical_crossentropy，并将目标除以 %2。</translation>
    </message>
    <message>
        <source>the targets are %1 and %2 (expected 0 and 1, because %3 compares targets of two classes). Change the targets %1 and %2 to 0 and 1.</source>
        <translation>目标为 %1 和 %2（应为 0 和 1，因为 %3 比较两个类别的目标）。请将目标 %1 和 %2 改为 0 和 1。</translation>
    </message>
    <message>
        <source>the targets of the data are from %1 to %2, but it ends in %3, which outputs only %4 to %5. Set the activation to linear, or scale the targets.</source>
        <translation>数据的目标为 %1 到 %2，但它以 %3 结尾，只能输出 %4 到 %5。请将激活函数设为 linear，或缩放目标。</translation>
    </message>
    <message>
        <source>the targets of the data are from %1 to %2, but it ends in %3, which outputs only %4 or more. Set the activation to linear, or scale the targets.</source>
        <translation>数据的目标为 %1 到 %2，但它以 %3 结尾，只能输出不小于 %4 的值。请将激活函数设为 linear，或缩放目标。</translation>
    </message>
    <message>
        <source>the targets of the data are from %1 to %2, but it ends in %3, which outputs only %5 or less. Set the activation to linear, or scale the targets.</source>
        <translation>数据的目标为 %1 到 %2，但它以 %3 结尾，只能输出不大于 %5 的值。请将激活函数设为 linear，或缩放目标。</translation>
    </message>
    <message>
        <source>%1 compares the directions of vectors, but the network has one output (expected at least 2), which has only a sign, so nothing is learned. Choose mean_squared_error.</source>
        <translation>%1 比较向量的方向，而网络只有一个输出（应至少有 2 个），它只有正负号，因此学不到任何东西。请选择 mean_squared_error。</translation>
    </message>
    <message>
        <source>it ends in softmax with one output, which is always 1, so nothing is learned (expected %1). Change the activation.</source>
        <translation>它以只有一个输出的 softmax 结尾，输出始终为 1，因此学不到任何东西（应为 %1）。请更改激活函数。</translation>
    </message>
    <message>
        <source>all targets are %1 (expected 0 and 1, because %2 compares probabilities). Check the targets.</source>
        <translation>所有目标都是 %1（应为 0 和 1，因为 %2 比较概率）。请检查目标。</translation>
    </message>
    <message>
        <source>Unknown fields of %2 that are not listed: %1. They have no effect. Remove them.</source>
        <translation>%2 还有 %1 个未列出的未知字段。它们不起作用。请删除它们。</translation>
    </message>
    <message>
        <source>the targets are measured values, so class_weight weighs a sample by whether its target is above 0.5. Remove class_weight.</source>
        <translation>目标是测量值，因此 class_weight 按目标是否大于 0.5 给样本加权。请移除 class_weight。</translation>
    </message>
    <message>
        <source>several classes are true at once, so class_weight weighs a sample by its largest target. Remove class_weight.</source>
        <translation>可能同时有多个类别为真，因此 class_weight 按最大的目标给样本加权。请移除 class_weight。</translation>
    </message>
    <message>
        <source>rescale divides the values by %1, but the values of the data are at most 1 (expected values up to %2). Remove the transform.</source>
        <translation>rescale 将数值除以 %1，但数据的数值最大为 1（应最大为 %2）。请移除该变换。</translation>
    </message>
    <message>
        <source>rescale divides the values by %1, but an earlier transform has scaled them (expected values up to %2). Remove one of them.</source>
        <translation>rescale 将数值除以 %1，但前面的变换已经缩放过这些数值（应最大为 %2）。请移除其中一个。</translation>
    </message>
    <message>
        <source>Remove the transform</source>
        <translation>移除该变换</translation>
    </message>
    <message>
        <source>scale is made for values up to %1, but the images have values up to %2. Divide by %3.</source>
        <translation>scale 适用于最大为 %1 的数值，但图像的数值最大为 %2。请除以 %3。</translation>
    </message>
    <message>
        <source>scale is made for values up to %1, but the values of the data are at most 1. Set scale to %2.</source>
        <translation>scale 适用于最大为 %1 的数值，但数据的数值最大为 1。请将 scale 设为 %2。</translation>
    </message>
    <message>
        <source>scale is made for values up to %1, but the transform rescale already divides the values. Remove the transform.</source>
        <translation>scale 适用于最大为 %1 的数值，但变换 rescale 已经除过这些数值。请移除该变换。</translation>
    </message>
    <message>
        <source>scale is made for values up to %1, but a transform already scales the values. Set scale to %2.</source>
        <translation>scale 适用于最大为 %1 的数值，但某个变换已经缩放了这些数值。请将 scale 设为 %2。</translation>
    </message>
    <message>
        <source>scale is made for values up to %1, but %3 already divides the values. Set scale to %2.</source>
        <translation>scale 适用于最大为 %1 的数值，但 %3 已经除过这些数值。请将 scale 设为 %2。</translation>
    </message>
    <message>
        <source>Set data_format of all layers to channels_first</source>
        <translation>将所有层的 data_format 设为 channels_first</translation>
    </message>
    <message>
        <source>the samples have the shape %1, so this layer takes the first dimension for the height (expected height, width, channels). If the samples begin with their channels, set data_format to channels_first.</source>
        <translation>样本的形状为 %1，因此该层把第一维当作高度（应为高度、宽度、通道）。如果样本的第一维是通道，请将 data_format 设为 channels_first。</translation>
    </message>
    <message>
        <source>the metric %1 is listed twice (expected different names). Remove one of them, or give one a name.</source>
        <translation>指标 %1 列出了两次（名称应各不相同）。请移除其中一个，或为其中一个命名。</translation>
    </message>
    <message>
        <source>rescale divides the values by %1, but the data has values up to %2. Divide by %2.</source>
        <translation>rescale 将数值除以 %1，但数据的数值最大为 %2。请除以 %2。</translation>
    </message>
    <message>
        <source>the metric %1 compares the outputs of several classes, but there is one output (expected at least 2), so its value means nothing. Use %2.</source>
        <translation>指标 %1 比较多个类别的输出，但只有一个输出（应至少为 2），因此其数值没有意义。请使用 %2。</translation>
    </message>
    <message>
        <source>the metric %1 compares outputs with thresholds from 0 to 1, but %2 may have other outputs. Set its num_thresholds to &quot;exact&quot;.</source>
        <translation>指标 %1 用 0 到 1 的阈值比较输出，但 %2 的输出可能超出该范围。请将其 num_thresholds 设为 &quot;exact&quot;。</translation>
    </message>
    <message>
        <source>a batch has %1 samples, but %2 replicas share it (expected at least %2). Use a larger batch_size, or fewer devices.</source>
        <translation>一个批次有 %1 个样本，但由 %2 个副本分担（应至少为 %2）。请增大 batch_size，或减少设备。</translation>
    </message>
    <message>
        <source>the last batch of an epoch has %1 samples, but %2 replicas share it (expected at least %2). Use another batch_size, or fewer devices.</source>
        <translation>每轮的最后一个批次有 %1 个样本，但由 %2 个副本分担（应至少为 %2）。请换用其他 batch_size，或减少设备。</translation>
    </message>
    <message>
        <source>it is stateful, but several replicas share each batch, and its state must continue from one batch to the next (expected one device). Use one device, or set stateful to false.</source>
        <translation>该层保留状态，但每个批次由多个副本分担，而其状态必须从一个批次延续到下一个批次（应为一个设备）。请使用一个设备，或将 stateful 设为 false。</translation>
    </message>
    <message>
        <source>the number of samples that count in the loss differs between replicas (%1), so the loss would weight the samples unequally (expected one device). Use one device, or set reduction of the loss to sum.</source>
        <translation>计入损失的样本数在各副本之间不同（%1），因此损失对样本的加权会不均等（应为一个设备）。请使用一个设备，或将损失的 reduction 设为 sum。</translation>
    </message>
    <message>
        <source>the strategy one_device does not fit the devices %1 (expected mirrored). Set it to mirrored, or use one device.</source>
        <translation>策略 one_device 与设备 %1 不符（应为 mirrored）。请设为 mirrored，或使用一个设备。</translation>
    </message>
    <message>
        <source>the device %1 is listed %2 times (expected different devices). Remove the others.</source>
        <translation>设备 %1 列出了 %2 次（应为不同的设备）。请删除其余项。</translation>
    </message>
    <message>
        <source>device is %1, but the devices are %2 (expected 0 to %3). Choose another device, or more devices.</source>
        <translation>device 为 %1，但设备为 %2（应为 0 到 %3）。请选择其他设备，或使用更多设备。</translation>
    </message>
    <message>
        <source>the strategy mirrored has no effect, because layers have devices, such as %1 (expected no strategy, or pipeline). Remove it.</source>
        <translation>策略 mirrored 不起作用，因为有的层指定了设备，例如 %1（应不设策略，或为 pipeline）。请将其移除。</translation>
    </message>
    <message>
        <source>device is %1, but with the strategy parameter_server each device computes all layers (expected no device). Remove device, or the strategy.</source>
        <translation>device 为 %1，但在策略 parameter_server 下每个设备计算所有层（应不设 device）。请移除 device 或该策略。</translation>
    </message>
    <message>
        <source>the strategy pipeline does not fit the device %1 (expected several devices). Use several devices, such as cpu*2, or remove the strategy.</source>
        <translation>策略 pipeline 不适合设备 %1（应为多个设备）。请使用多个设备，例如 cpu*2，或移除该策略。</translation>
    </message>
    <message>
        <source>there is no strategy %1 (expected one_device, mirrored, multi_worker, parameter_server or pipeline). Set it to mirrored.</source>
        <translation>没有策略 %1（应为 one_device、mirrored、multi_worker、parameter_server 或 pipeline）。请设为 mirrored。</translation>
    </message>
    <message>
        <source>there is no device &quot;%1&quot; (expected one card, or up to 64 equal ones, such as simulated:H100*2). Choose one kind of card.</source>
        <translation>没有名为“%1”的设备（应为一块卡，或最多 64 块相同的卡，例如 simulated:H100*2）。请选择同一种卡。</translation>
    </message>
    <message>
        <source>the list has %1 devices that cannot train together (expected different GPUs, such as cuda:0 and cuda:1, or several times cpu). Choose equal devices.</source>
        <translation>列表中的 %1 个设备不能一起训练（应为不同的 GPU，例如 cuda:0 和 cuda:1，或多个 cpu）。请选择相同的设备。</translation>
    </message>
</context>
<context>
    <name>regularizer</name>
    <message>
        <source>L2 penalty: adds the sum of squares, multiplied by a factor, to the loss</source>
        <translation>L2 惩罚：将平方和乘以系数后加到损失中</translation>
    </message>
    <message>
        <source>Factor by which the penalty is multiplied</source>
        <translation>惩罚项的系数</translation>
    </message>
    <message>
        <source>Keras name of factor</source>
        <translation>factor 在 Keras 中的名称</translation>
    </message>
    <message>
        <source>L1 penalty: adds the sum of absolute values, multiplied by a factor, to the loss</source>
        <translation>L1 惩罚：将绝对值之和乘以系数后加到损失中</translation>
    </message>
    <message>
        <source>Both the L1 and the L2 penalty</source>
        <translation>同时使用 L1 和 L2 惩罚</translation>
    </message>
    <message>
        <source>L1 factor</source>
        <translation>L1 系数</translation>
    </message>
    <message>
        <source>L2 factor</source>
        <translation>L2 系数</translation>
    </message>
    <message>
        <source>Encourages the rows or columns of a matrix to be orthogonal</source>
        <translation>促使矩阵的各行（或各列）相互正交</translation>
    </message>
    <message>
        <source>Whether rows or columns are encouraged to be orthogonal</source>
        <translation>选择使行还是使列相互正交</translation>
    </message>
</context>
<context>
    <name>report</name>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>已中断</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Curves</source>
        <translation>曲线</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>Curve of %1 by step</source>
        <translation>%1 随步数的曲线</translation>
    </message>
    <message>
        <source>The curves are unknown: %1</source>
        <translation>曲线未知：%1</translation>
    </message>
    <message>
        <source>all classes</source>
        <translation>所有类别</translation>
    </message>
    <message>
        <source>%1: unknown, because %2.</source>
        <translation>%1：未知，因为%2。</translation>
    </message>
    <message>
        <source>ROC curve</source>
        <translation>ROC 曲线</translation>
    </message>
    <message>
        <source>false positive rate; upward: true positive rate</source>
        <translation>假正例率；纵轴：真正例率</translation>
    </message>
    <message>
        <source>Precision-recall curve</source>
        <translation>精确率-召回率曲线</translation>
    </message>
    <message>
        <source>recall; upward: precision</source>
        <translation>召回率；纵轴：精确率</translation>
    </message>
    <message>
        <source>Reliability diagram</source>
        <translation>可靠性图</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>predicted probability; upward: share of positive samples</source>
        <translation>预测概率；纵轴：正样本的比例</translation>
    </message>
    <message>
        <source>Expected calibration error %1.</source>
        <translation>期望校准误差 %1。</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精确率</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>召回率</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>样本数</translation>
    </message>
    <message>
        <source>ROC area</source>
        <translation>ROC 面积</translation>
    </message>
    <message>
        <source>Average precision</source>
        <translation>平均精确率</translation>
    </message>
    <message>
        <source>Mean of the classes</source>
        <translation>各类别的平均</translation>
    </message>
    <message>
        <source>Mean by samples</source>
        <translation>按样本数加权的平均</translation>
    </message>
    <message>
        <source>Confusion matrix</source>
        <translation>混淆矩阵</translation>
    </message>
    <message>
        <source>True class</source>
        <translation>真实类别</translation>
    </message>
    <message>
        <source>Mean absolute error</source>
        <translation>平均绝对误差</translation>
    </message>
    <message>
        <source>Root mean squared error</source>
        <translation>均方根误差</translation>
    </message>
    <message>
        <source>Median absolute error</source>
        <translation>绝对误差的中位数</translation>
    </message>
    <message>
        <source>test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>Scores by class on the %1 data, output %2</source>
        <translation>%1数据上各类别的指标，输出 %2</translation>
    </message>
    <message>
        <source>Errors on the %1 data, output %2</source>
        <translation>%1数据上的误差，输出 %2</translation>
    </message>
    <message>
        <source>Design</source>
        <translation>设计</translation>
    </message>
    <message>
        <source>The design is unknown, because project.json is damaged.</source>
        <translation>设计未知，因为 project.json 已损坏。</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>The settings are unknown, because project.json is damaged.</source>
        <translation>设置未知，因为 project.json 已损坏。</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置项</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>激活值</translation>
    </message>
    <message>
        <source>inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>temporary values</source>
        <translation>临时值</translation>
    </message>
    <message>
        <source>workspaces</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>communication</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Measured peak</source>
        <translation>实测峰值</translation>
    </message>
    <message>
        <source>Predicted peak</source>
        <translation>预测峰值</translation>
    </message>
    <message>
        <source>At the predicted peak: %1</source>
        <translation>在预测的峰值处：%1</translation>
    </message>
    <message>
        <source>At the predicted peak: alignment and holes</source>
        <translation>在预测的峰值处：对齐与空洞</translation>
    </message>
    <message>
        <source>The memory of a step is unknown, because %1.</source>
        <translation>一步的内存未知，因为%1。</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>环境</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>处理器</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>线程数</translation>
    </message>
    <message>
        <source>Processes</source>
        <translation>进程数</translation>
    </message>
    <message>
        <source>Deterministic</source>
        <translation>确定性</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Git commit</source>
        <translation>Git 提交</translation>
    </message>
    <message>
        <source>Git branch</source>
        <translation>Git 分支</translation>
    </message>
    <message>
        <source>Overridden settings</source>
        <translation>被覆盖的设置</translation>
    </message>
    <message>
        <source>The environment is unknown: %1</source>
        <translation>环境未知：%1</translation>
    </message>
    <message>
        <source>%1, run %2</source>
        <translation>%1，运行 %2</translation>
    </message>
</context>
<context>
    <name>run list</name>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>训练轮数</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>峰值内存</translation>
    </message>
    <message>
        <source>Size on disk</source>
        <translation>磁盘占用</translation>
    </message>
    <message>
        <source>Starts from</source>
        <translation>起始权重</translation>
    </message>
    <message>
        <source>Archived</source>
        <translation>已归档</translation>
    </message>
    <message>
        <source>Kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Directory</source>
        <translation>目录</translation>
    </message>
    <message>
        <source>Best validation %1</source>
        <translation>最佳验证 %1</translation>
    </message>
    <message>
        <source>Validation %1</source>
        <translation>验证%1</translation>
    </message>
    <message>
        <source>Test %1</source>
        <translation>测试%1</translation>
    </message>
    <message>
        <source>Starts from step</source>
        <translation>起始步</translation>
    </message>
</context>
<context>
    <name>same samples</name>
    <message>
        <source>it is defined for two runs (there are %1)</source>
        <translation>它只对两次运行有定义（现有 %1 次）</translation>
    </message>
    <message>
        <source>not both runs predict a class for each sample</source>
        <translation>并非两次运行都为每个样本预测一个类别</translation>
    </message>
    <message>
        <source>the runs predict different targets</source>
        <translation>两次运行预测的目标不同</translation>
    </message>
</context>
<context>
    <name>stage</name>
    <message>
        <source>%1: %2 samples of type %3; %4 damaged, %5 dropped because of missing values</source>
        <translation>%1：%2 个样本，类型为 %3；%4 个损坏，%5 个因缺失值而丢弃</translation>
    </message>
    <message>
        <source>%1: %2 samples of type %3, %4 classes</source>
        <translation>%1：%2 个样本，类型为 %3，共 %4 个类别</translation>
    </message>
    <message>
        <source>%1: %2 samples of type %3</source>
        <translation>%1：%2 个样本，类型为 %3</translation>
    </message>
    <message>
        <source>skips %1 samples, then takes %2</source>
        <translation>跳过前 %1 个样本，再取 %2 个</translation>
    </message>
    <message>
        <source>skips %1 samples</source>
        <translation>跳过前 %1 个样本</translation>
    </message>
    <message>
        <source>all samples are decoded once and use %1 of memory</source>
        <translation>所有样本只解码一次，占用 %1 内存</translation>
    </message>
    <message>
        <source>all samples</source>
        <translation>全部样本</translation>
    </message>
    <message>
        <source>%1 for training, %2 for validation, %3 for testing; shuffled with seed %4</source>
        <translation>训练 %1 个，验证 %2 个，测试 %3 个；以种子 %4 打乱</translation>
    </message>
    <message>
        <source>%1 for training, %2 for validation, %3 for testing; in the order of the source</source>
        <translation>训练 %1 个，验证 %2 个，测试 %3 个；按数据源中的顺序</translation>
    </message>
    <message>
        <source>%1 training samples, shuffled in each epoch with seed %2</source>
        <translation>%1 个训练样本，每轮以种子 %2 打乱</translation>
    </message>
    <message>
        <source>off: every epoch uses the same order</source>
        <translation>关闭：每轮的样本顺序相同</translation>
    </message>
    <message>
        <source>%1 samples per step, %2 steps per epoch</source>
        <translation>每步 %1 个样本，每轮 %2 步</translation>
    </message>
    <message>
        <source>%1 samples per step, %2 steps per epoch; %3 samples in the last step</source>
        <translation>每步 %1 个样本，每轮 %2 步；最后一步 %3 个样本</translation>
    </message>
    <message>
        <source>none: values are not changed</source>
        <translation>无：不改变数值</translation>
    </message>
    <message>
        <source>%1, applied while a batch is assembled</source>
        <translation>%1，在组成批次时应用</translation>
    </message>
    <message>
        <source>%1 batches are assembled ahead at a time and use %2 of memory</source>
        <translation>每次提前组成 %1 个批次，占用 %2 内存</translation>
    </message>
    <message>
        <source>none: each batch (%1) is assembled when its step needs it</source>
        <translation>无：每个批次（%1）在对应的步需要时才组成</translation>
    </message>
    <message>
        <source>Skips the first samples and limits how many of the rest are used. Set in data.</source>
        <translation>跳过开头的样本，并限制使用其余样本的数量。在 data 中设置。</translation>
    </message>
    <message>
        <source>Reserves the last samples for testing, and the last of the remaining samples for validation. Set in data.</source>
        <translation>先将末尾的样本留作测试，再将其余样本的末尾部分留作验证。在 data 中设置。</translation>
    </message>
    <message>
        <source>Shuffles the training samples in each epoch, based on the seed. Set in training.</source>
        <translation>每轮根据随机种子打乱训练样本。在 training 中设置。</translation>
    </message>
    <message>
        <source>Groups samples into batches, one for each update. Set in training.</source>
        <translation>将样本组成批次，每次更新使用一个批次。在 training 中设置。</translation>
    </message>
    <message>
        <source>Transforms each sample when it is added to a batch. Set in transforms of data.</source>
        <translation>在样本加入批次时对其进行变换。在 data 的 transforms 中设置。</translation>
    </message>
    <message>
        <source>%1 samples per step; all samples take %2 steps, and an epoch has %3 steps</source>
        <translation>每步 %1 个样本；遍历全部样本需要 %2 步，一轮为 %3 步</translation>
    </message>
    <message>
        <source>none: samples are decoded for each batch; all samples would need %1, and %2 is kept in memory</source>
        <translation>无：样本按批次解码；全部样本需要 %1，内存中保存了 %2</translation>
    </message>
    <message>
        <source>batches ahead: %1, decoded while a step runs; memory used: %2</source>
        <translation>提前 %1 个批次，在一步执行期间解码；占用内存 %2</translation>
    </message>
    <message>
        <source>Keeps all decoded samples in memory (images as bytes), so that files are read once. Image folders that do not fit are decoded batch by batch. Set in the source.</source>
        <translation>将所有解码后的样本保存在内存中（图像以字节形式保存），文件因此只需读取一次。内存放不下的图像文件夹按批次解码。在数据源中设置。</translation>
    </message>
    <message>
        <source>Prepares batches before their steps need them. Several small batches are assembled at a time. Samples that are not kept in memory are decoded during the step before. Automatic.</source>
        <translation>在各步需要之前提前准备批次。较小的批次一次组成多个；未保存在内存中的样本在前一步执行期间解码。自动进行。</translation>
    </message>
    <message>
        <source>%1: %2 samples of type %3; missing values replaced: %4</source>
        <translation>%1：%2 个样本，类型为 %3；已填充的缺失值：%4</translation>
    </message>
    <message>
        <source>%1: %2 samples of type %3; %4 damaged, %5 dropped because of missing values; missing values replaced: %6</source>
        <translation>%1：%2 个样本，类型为 %3；%4 个损坏，%5 个因缺失值而丢弃；已填充的缺失值：%6</translation>
    </message>
    <message>
        <source>%1 for training, %2 for validation, %3 for testing; folders used: %4</source>
        <translation>训练 %1 个，验证 %2 个，测试 %3 个；使用的文件夹：%4</translation>
    </message>
    <message>
        <source>%1 for training, %2 for validation, %3 for testing, with equal shares of the classes; shuffled with seed %4</source>
        <translation>训练 %1 个，验证 %2 个，测试 %3 个，类别比例相同；以种子 %4 打乱</translation>
    </message>
    <message>
        <source>%1 for training, %2 for validation, %3 for testing, with equal shares of the classes; in the order of the source</source>
        <translation>训练 %1 个，验证 %2 个，测试 %3 个，类别比例相同；按数据源中的顺序</translation>
    </message>
</context>
<context>
    <name>strata::ui::AgreementCard</name>
    <message>
        <source>Correct predictions</source>
        <translation>正确的预测</translation>
    </message>
    <message>
        <source>Which samples are listed</source>
        <translation>列出哪些样本</translation>
    </message>
    <message>
        <source>Samples by who predicts them correctly</source>
        <translation>按哪次运行预测正确列出的样本</translation>
    </message>
    <message>
        <source>Both %1</source>
        <translation>两者都对 %1</translation>
    </message>
    <message>
        <source>Only %1: %2</source>
        <translation>仅%1：%2</translation>
    </message>
    <message>
        <source>Neither %1</source>
        <translation>都不对 %1</translation>
    </message>
    <message>
        <source>%1 → %2 | %3</source>
        <translation>%1 → %2 | %3</translation>
    </message>
    <message>
        <source>Sample %1: %2, predicted as %3 and %4</source>
        <translation>样本 %1：%2，分别预测为 %3 和 %4</translation>
    </message>
    <message>
        <source>There are no such samples.</source>
        <translation>没有这样的样本。</translation>
    </message>
    <message>
        <source>The first %1 of %2 (true → first run | second run)</source>
        <translation>%2 个中的前 %1 个（真实 → 第一次运行 | 第二次运行）</translation>
    </message>
    <message>
        <source>True → first run | second run</source>
        <translation>真实 → 第一次运行 | 第二次运行</translation>
    </message>
</context>
<context>
    <name>strata::ui::AlgorithmSection</name>
    <message>
        <source>Algorithms on %1</source>
        <translation>%1 上的算法</translation>
    </message>
    <message>
        <source>Asking the libraries…</source>
        <translation>正在查询算法库…</translation>
    </message>
    <message>
        <source>Strata has one kernel for each operation of this layer.</source>
        <translation>此层的每个运算都只有一个内核。</translation>
    </message>
    <message>
        <source>Algorithm of %1</source>
        <translation>%1 的算法</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Automatic: %1</source>
        <translation>自动：%1</translation>
    </message>
    <message>
        <source>known only on a GPU</source>
        <translation>只有真实 GPU 才知道</translation>
    </message>
    <message>
        <source>%1, not offered</source>
        <translation>%1，未提供</translation>
    </message>
    <message>
        <source>Workspace %1</source>
        <translation>工作区 %1</translation>
    </message>
    <message>
        <source>Workspace about %1</source>
        <translation>工作区约 %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1: %2, because %3</source>
        <translation>%1：%2，因为%3</translation>
    </message>
</context>
<context>
    <name>strata::ui::AllocationView</name>
    <message>
        <source>Memory of a training step over its instructions</source>
        <translation>一个训练步的内存（按指令）</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>update</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%2 的 %1</translation>
    </message>
    <message>
        <source>no layer</source>
        <translation>无层</translation>
    </message>
    <message>
        <source>%1, %2, %3, %4, from %5 to %6</source>
        <translation>%1，%2，%3，%4，从 %5 到 %6</translation>
    </message>
</context>
<context>
    <name>strata::ui::BatchShare</name>
    <message>
        <source>Batch %1 = %2 × %3 on %2 devices</source>
        <translation>批次 %1 = %2 × %3，共 %2 个设备</translation>
    </message>
    <message>
        <source>Batch %1 = %2 × %3 + %4 × %5 on %6 devices</source>
        <translation>批次 %1 = %2 × %3 + %4 × %5，共 %6 个设备</translation>
    </message>
    <message>
        <source>Batch %1, learning rate %2</source>
        <translation>批次 %1，学习率 %2</translation>
    </message>
    <message>
        <source>Give each device %1 samples, and scale the learning rate with the batch</source>
        <translation>每个设备分得 %1 个样本，学习率随批次同比例放大</translation>
    </message>
    <message numerus="yes">
        <source>%1, each in %n micro-batch(es)</source>
        <translation>
            <numerusform>%1，每份分为 %n 个微批次</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::BlockItemModel</name>
    <message>
        <source>whole step</source>
        <translation>整个步</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%2 的 %1</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Category</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>In use</source>
        <translation>使用期间</translation>
    </message>
    <message>
        <source>Alignment and holes</source>
        <translation>对齐与空洞</translation>
    </message>
</context>
<context>
    <name>strata::ui::CheckpointDialog</name>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>Checkpoints of %1</source>
        <translation>%1的检查点</translation>
    </message>
    <message>
        <source>A new run begins with step %1.</source>
        <translation>新运行从第 %1 步开始。</translation>
    </message>
    <message>
        <source>The run keeps the settings that it used:
%1</source>
        <translation>运行保留其使用过的设置：
%1</translation>
    </message>
    <message>
        <source>New run from step %1</source>
        <translation>从第 %1 步新建运行</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Epoch</source>
        <translation>轮次</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>保存时间</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>%1 goes on in its own directory.</source>
        <translation>%1在其自己的目录中继续。</translation>
    </message>
    <message>
        <source>A new run begins with step %1 of %2. %3 stays as it is.</source>
        <translation>新运行从%2的第 %1 步开始。%3保持不变。</translation>
    </message>
    <message>
        <source>%1 has no checkpoint from which it could continue</source>
        <translation>%1没有可以继续的检查点</translation>
    </message>
    <message>
        <source>%1, validation</source>
        <translation>%1（验证）</translation>
    </message>
</context>
<context>
    <name>strata::ui::ChoiceEditor</name>
    <message>
        <source>%1 (default)</source>
        <translation>%1（默认）</translation>
    </message>
</context>
<context>
    <name>strata::ui::ClassCard</name>
    <message>
        <source>Classes</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Validation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>Samples per class</source>
        <translation>各类别的样本数</translation>
    </message>
    <message>
        <source>some classes have no training samples</source>
        <translation>有些类别没有训练样本</translation>
    </message>
    <message>
        <source>balanced</source>
        <translation>均衡</translation>
    </message>
    <message>
        <source>the largest class is %1 times the smallest</source>
        <translation>最大的类别是最小类别的 %1 倍</translation>
    </message>
</context>
<context>
    <name>strata::ui::ClassCurves</name>
    <message>
        <source>Accuracy of the chosen classes</source>
        <translation>所选类别的准确率</translation>
    </message>
    <message>
        <source>Step %1, epoch %2</source>
        <translation>第 %1 步，第 %2 轮</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>strata::ui::ClassItemModel</name>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>The validation has no sample of this class.</source>
        <translation>验证集中没有此类别的样本。</translation>
    </message>
    <message>
        <source>No sample of this class is taken for another one.</source>
        <translation>此类别没有样本被误认为其他类别。</translation>
    </message>
    <message>
        <source>Seen as: %1</source>
        <translation>被误认为：%1</translation>
    </message>
    <message>
        <source>The class that its samples are most often taken for.</source>
        <translation>其样本最常被误认为的类别。</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>准确率</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>变化</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>样本数</translation>
    </message>
    <message>
        <source>The share of the samples of this class that are recognized (recall).</source>
        <translation>此类别的样本中被正确识别的比例（召回率）。</translation>
    </message>
    <message>
        <source>Seen as</source>
        <translation>被误认为</translation>
    </message>
    <message>
        <source>Since the validation of step %1.</source>
        <translation>与第 %1 步的验证相比。</translation>
    </message>
    <message>
        <source>Since the validation before.</source>
        <translation>与之前的验证相比。</translation>
    </message>
</context>
<context>
    <name>strata::ui::ClassesCard</name>
    <message>
        <source>Classes</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>The chart shows the selected classes.</source>
        <translation>图表显示所选的类别。</translation>
    </message>
    <message>
        <source>The accuracy of each class appears after the first validation.</source>
        <translation>首次验证后显示各类别的准确率。</translation>
    </message>
    <message>
        <source>Validation of step %1, epoch %2</source>
        <translation>第 %1 步的验证，第 %2 轮</translation>
    </message>
    <message>
        <source>The accuracy of each class is unknown, because this run has no validation.</source>
        <translation>各类别的准确率未知，因为此次运行没有验证。</translation>
    </message>
    <message>
        <source>The accuracy of each class is unknown, because the run stopped before its first validation.</source>
        <translation>各类别的准确率未知，因为此次运行在第一次验证之前就停止了。</translation>
    </message>
    <message>
        <source>This run has no accuracy of each class, because no output chooses one of at most 1000 classes.</source>
        <translation>此次运行没有各类别的准确率，因为没有从最多 1000 个类别中选择的输出。</translation>
    </message>
</context>
<context>
    <name>strata::ui::CleanDialog</name>
    <message>
        <source>Clean up runs</source>
        <translation>清理运行</translation>
    </message>
    <message>
        <source>Runs that no rule keeps go to the trash. The best run, the last run, archived and kept runs, and runs that others start from always stay.</source>
        <translation>没有规则保留的运行会移入回收站。最佳运行、最近一次运行、已归档和标记保留的运行，以及其他运行以之为起点的运行始终保留。</translation>
    </message>
    <message>
        <source>Keep the newest</source>
        <translation>保留最新的</translation>
    </message>
    <message>
        <source>runs</source>
        <translation>次运行</translation>
    </message>
    <message>
        <source>Keep the best</source>
        <translation>保留最佳的</translation>
    </message>
    <message>
        <source>Keep runs of the last</source>
        <translation>保留最近</translation>
    </message>
    <message>
        <source>days</source>
        <translation>天内的运行</translation>
    </message>
    <message>
        <source>Keep at most</source>
        <translation>最多保留</translation>
    </message>
    <message>
        <source>MiB in all runs</source>
        <translation>MiB（所有运行合计）</translation>
    </message>
    <message>
        <source>Runs that go and runs that stay</source>
        <translation>将删除和将保留的运行</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1: enter a whole number, 0 or more.</source>
        <translation>%1：请输入不小于 0 的整数。</translation>
    </message>
    <message>
        <source>Choose at least one rule.</source>
        <translation>请至少选择一条规则。</translation>
    </message>
    <message>
        <source>All runs stay.</source>
        <translation>所有运行都保留。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) of %1 go to the trash. This can be undone.</source>
        <translation>
            <numerusform>%Ln 次运行（%1）将移入回收站。此操作可以撤销。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %Ln run(s)</source>
        <translation>
            <numerusform>删除 %Ln 次运行</numerusform>
        </translation>
    </message>
    <message>
        <source>stays: it trains</source>
        <translation>保留：正在训练</translation>
    </message>
    <message>
        <source>stays: the best run</source>
        <translation>保留：最佳运行</translation>
    </message>
    <message>
        <source>stays: the last run</source>
        <translation>保留：最近一次运行</translation>
    </message>
    <message>
        <source>stays: archived</source>
        <translation>保留：已归档</translation>
    </message>
    <message>
        <source>stays: marked to keep</source>
        <translation>保留：已标记保留</translation>
    </message>
    <message>
        <source>stays: %1 starts from it</source>
        <translation>保留：%1 以它为起点</translation>
    </message>
    <message>
        <source>stays: among the newest</source>
        <translation>保留：属于最新的</translation>
    </message>
    <message>
        <source>stays: among the best</source>
        <translation>保留：属于最佳的</translation>
    </message>
    <message>
        <source>stays: recent</source>
        <translation>保留：近期</translation>
    </message>
    <message>
        <source>stays: fits the size</source>
        <translation>保留：未超出大小</translation>
    </message>
    <message>
        <source>goes: no rule keeps it</source>
        <translation>删除：没有规则保留它</translation>
    </message>
    <message>
        <source>goes: exceeds the size</source>
        <translation>删除：超出大小</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>Size on disk</source>
        <translation>磁盘占用</translation>
    </message>
    <message>
        <source>Decision</source>
        <translation>决定</translation>
    </message>
</context>
<context>
    <name>strata::ui::ColumnItemModel</name>
    <message>
        <source>Input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Weight</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Ignore</source>
        <translation>忽略</translation>
    </message>
    <message>
        <source>Inputs enter the network, which predicts the label. A weight is the weight of each sample in the loss.</source>
        <translation>输入列进入网络，网络预测标签。权重列是每个样本在损失中的权重。</translation>
    </message>
    <message>
        <source>Column</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>First values</source>
        <translation>前几个值</translation>
    </message>
    <message>
        <source>Missing</source>
        <translation>缺失</translation>
    </message>
    <message>
        <source>Role</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Label (guessed)</source>
        <translation>标签（推测）</translation>
    </message>
    <message>
        <source>Empty</source>
        <translation>空</translation>
    </message>
    <message>
        <source>More than %1 words</source>
        <translation>超过 %1 个词</translation>
    </message>
    <message numerus="yes">
        <source>%Ln word(s)</source>
        <translation>
            <numerusform>%Ln 个词</numerusform>
        </translation>
    </message>
    <message>
        <source>Number, as %1</source>
        <translation>数字，形如 %1</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>数字</translation>
    </message>
    <message>
        <source>%1 missing cells are filled</source>
        <translation>已填充 %1 个缺失单元格</translation>
    </message>
    <message>
        <source>The source names columns for each input or output, so that roles are set in the form.</source>
        <translation>数据源为每个输入或输出分别指定列，因此请在表单中设置角色。</translation>
    </message>
    <message>
        <source>The last column is the label, because the project does not name one. Click Label to confirm it, or choose another column.</source>
        <translation>项目没有指定标签，因此最后一列是标签。点击“标签”确认，或选择其他列。</translation>
    </message>
    <message>
        <source>To change this role, first make another column the label.</source>
        <translation>要更改此角色，请先将另一列设为标签。</translation>
    </message>
</context>
<context>
    <name>strata::ui::CommandPalette</name>
    <message>
        <source>Find a command</source>
        <translation>查找命令</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
</context>
<context>
    <name>strata::ui::ComparisonView</name>
    <message>
        <source>Show curves</source>
        <translation>显示曲线</translation>
    </message>
    <message>
        <source>Shows the curves of these runs in the same plots.</source>
        <translation>在同样的图中显示这些运行的曲线。</translation>
    </message>
    <message>
        <source>Comparison of the runs</source>
        <translation>运行的比较</translation>
    </message>
    <message>
        <source>Comparing…</source>
        <translation>正在比较…</translation>
    </message>
    <message>
        <source>Select two or more runs in the table of all runs, then choose Compare.</source>
        <translation>在所有运行的表格中选择两次或更多运行，然后选择“比较”。</translation>
    </message>
    <message>
        <source>The runs may have been tested on different samples, because their data or seeds differ.</source>
        <translation>这些运行可能在不同的样本上测试，因为它们的数据或种子不同。</translation>
    </message>
    <message>
        <source>The settings and layers of %1 are unknown, because project.json is damaged.</source>
        <translation>%1 的设置和层未知，因为 project.json 已损坏。</translation>
    </message>
    <message>
        <source>All settings and layers are equal.</source>
        <translation>所有设置和层都相同。</translation>
    </message>
    <message>
        <source>Settings and layers that differ are listed below the results.</source>
        <translation>不同的设置和层列在结果下方。</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>The best value</source>
        <translation>最佳值</translation>
    </message>
    <message>
        <source>Layers that differ from the first run</source>
        <translation>与第一个运行不同的层</translation>
    </message>
    <message>
        <source>%1 (added)</source>
        <translation>%1（新增）</translation>
    </message>
    <message>
        <source>removed</source>
        <translation>已移除</translation>
    </message>
    <message>
        <source>%1 (changed)</source>
        <translation>%1（已更改）</translation>
    </message>
    <message>
        <source>Settings that differ</source>
        <translation>不同的设置</translation>
    </message>
    <message>
        <source>Evaluate on the same samples</source>
        <translation>在相同样本上评估</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Evaluating…</source>
        <translation>正在评估…</translation>
    </message>
    <message>
        <source>%1 cannot be evaluated on these samples. %2</source>
        <translation>%1无法在这些样本上评估。%2</translation>
    </message>
    <message>
        <source>How the runs agree is unknown, because %1.</source>
        <translation>这些运行的一致程度未知，因为%1。</translation>
    </message>
    <message>
        <source>All runs were evaluated on the same samples.</source>
        <translation>所有运行都在相同的样本上评估过。</translation>
    </message>
    <message numerus="yes">
        <source>On the same %Ln test sample(s)</source>
        <translation>
            <numerusform>在相同的 %Ln 个测试样本上</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>On the same %Ln validation sample(s)</source>
        <translation>
            <numerusform>在相同的 %Ln 个验证样本上</numerusform>
        </translation>
    </message>
    <message>
        <source>Evaluates the weights of all these runs on the test samples of the open project, or on its validation samples if it has no test samples.</source>
        <translation>在打开的项目的测试样本上评估所有这些运行的权重；没有测试样本时使用验证样本。</translation>
    </message>
    <message>
        <source>%1 had another source, split or seed, or began with trained weights, so it may have been trained on some of these samples.</source>
        <translation>%1的数据源、划分或种子不同，或从已训练的权重开始，因此可能用其中一些样本训练过。</translation>
    </message>
</context>
<context>
    <name>strata::ui::CompiledView</name>
    <message>
        <source>Completed passes</source>
        <translation>已完成的优化遍</translation>
    </message>
    <message>
        <source>Compilation was canceled. There is no graph for this version of the design.</source>
        <translation>编译已取消。此版本的设计没有可显示的图。</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>优化遍</translation>
    </message>
    <message>
        <source>Rewrites made by the pass</source>
        <translation>该优化遍所做的改写</translation>
    </message>
    <message>
        <source>Find a layer or op</source>
        <translation>查找层或算子</translation>
    </message>
    <message>
        <source>Changes</source>
        <translation>变化</translation>
    </message>
    <message>
        <source>Show only the nodes that this pass changed</source>
        <translation>只显示被该优化遍改变的节点</translation>
    </message>
    <message>
        <source>Selected layers</source>
        <translation>所选层</translation>
    </message>
    <message>
        <source>Show only the nodes of the selected layers</source>
        <translation>只显示所选层的节点</translation>
    </message>
    <message>
        <source>Rewrites</source>
        <translation>改写</translation>
    </message>
    <message>
        <source>List the rewrites of this pass, one per line</source>
        <translation>逐行列出该优化遍的改写</translation>
    </message>
    <message>
        <source>Nodes of the graph</source>
        <translation>图的节点</translation>
    </message>
    <message>
        <source>This graph predates your last edit, which is being checked.</source>
        <translation>此图对应上次编辑之前的设计；正在检查最新的修改。</translation>
    </message>
    <message>
        <source>There is no graph, because the network has problems.</source>
        <translation>网络有问题，因此无法显示图。</translation>
    </message>
    <message>
        <source>Compiling the graph…</source>
        <translation>正在编译图…</translation>
    </message>
    <message>
        <source>The graph could not be compiled: %1</source>
        <translation>无法编译图：%1</translation>
    </message>
    <message>
        <source>Compiling the graph: %1 of %2 passes…</source>
        <translation>正在编译图：第 %1 个优化遍，共 %2 个…</translation>
    </message>
    <message>
        <source>A training step of %1 samples on %2, read-only. Unchecked passes are skipped.</source>
        <translation>%2 上的一个训练步（%1 个样本），只读。未勾选的优化遍会被跳过。</translation>
    </message>
    <message>
        <source>Compile</source>
        <translation>编译</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Compile the graph now</source>
        <translation>立即编译图</translation>
    </message>
    <message>
        <source>Cancel compiling the graph</source>
        <translation>取消编译图</translation>
    </message>
    <message>
        <source>initial graph</source>
        <translation>初始图</translation>
    </message>
    <message>
        <source>The forward, backward and update ops before any pass</source>
        <translation>执行任何优化遍之前的前向、反向和更新算子</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt;: %2</source>
        <translation>&lt;b&gt;%1&lt;/b&gt;：%2</translation>
    </message>
    <message>
        <source>Disabled passes</source>
        <translation>禁用的优化遍</translation>
    </message>
    <message>
        <source>The step of the last of %1 micro-batches, which updates the weights. It processes %2 of the %3 samples of a batch on %4. Read-only. Unchecked passes are skipped.</source>
        <translation>%4 上最后一个微批次（共 %1 个）的训练步，包含权重更新；每批 %3 个样本，此步处理其中 %2 个。只读。未勾选的优化遍会被跳过。</translation>
    </message>
</context>
<context>
    <name>strata::ui::ConfusionItemModel</name>
    <message numerus="yes">
        <source>%1 predicted as %2: %n time(s)</source>
        <translation>
            <numerusform>%1 被预测为 %2：%n 次</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::Continuation</name>
    <message>
        <source>default</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>%1 from %2</source>
        <translation>%1，初始值 %2</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message numerus="yes">
        <source>Train %Ln more epoch(s)</source>
        <translation>
            <numerusform>再训练 %Ln 轮</numerusform>
        </translation>
    </message>
    <message>
        <source>Continue (step %1)</source>
        <translation>继续（第 %1 步）</translation>
    </message>
    <message>
        <source>%1: %2 (the project has %3)</source>
        <translation>%1：%2（项目中为 %3）</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>训练轮数</translation>
    </message>
    <message>
        <source>Changed since the run: %1</source>
        <translation>运行之后的更改：%1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%2 的%1</translation>
    </message>
    <message>
        <source>%1: %2 (other values than in the project)</source>
        <translation>%1：%2（各项数值与项目中的不同）</translation>
    </message>
</context>
<context>
    <name>strata::ui::ContinueQuestion</name>
    <message>
        <source>Continue %1</source>
        <translation>继续%1</translation>
    </message>
    <message>
        <source>%1 used other settings than the project has now.
%2</source>
        <translation>%1 所用的设置与项目当前的设置不同。
%2</translation>
    </message>
    <message>
        <source>As it was</source>
        <translation>按原设置继续</translation>
    </message>
    <message>
        <source>New run with this project</source>
        <translation>按此项目开始新运行</translation>
    </message>
    <message>
        <source>New run, starting from %1&apos;s weights</source>
        <translation>新运行，从%1 的权重开始</translation>
    </message>
</context>
<context>
    <name>strata::ui::CurveView</name>
    <message>
        <source>lowest %1</source>
        <translation>最低 %1</translation>
    </message>
</context>
<context>
    <name>strata::ui::CurvesLens</name>
    <message>
        <source>Charts of the run</source>
        <translation>运行的图表</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>平滑</translation>
    </message>
    <message>
        <source>The weight of earlier steps in the moving average. The raw curve stays behind it.</source>
        <translation>移动平均中先前各步的权重。原始曲线保留在其后。</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>By epoch</source>
        <translation>按轮次</translation>
    </message>
    <message>
        <source>By step</source>
        <translation>按步</translation>
    </message>
    <message>
        <source>By time</source>
        <translation>按时间</translation>
    </message>
    <message>
        <source>Horizontal axis</source>
        <translation>横轴</translation>
    </message>
    <message>
        <source>Log x</source>
        <translation>x 对数</translation>
    </message>
    <message>
        <source>Uses a logarithmic horizontal axis.</source>
        <translation>横轴使用对数刻度。</translation>
    </message>
    <message>
        <source>Log y</source>
        <translation>y 对数</translation>
    </message>
    <message>
        <source>Uses logarithmic vertical axes, except for percentages.</source>
        <translation>纵轴使用对数刻度，百分比除外。</translation>
    </message>
    <message>
        <source>Range of runs</source>
        <translation>各运行的范围</translation>
    </message>
    <message>
        <source>Shows the smallest, the mean and the largest value of the drawn runs.</source>
        <translation>显示所画各运行的最小值、平均值和最大值。</translation>
    </message>
    <message>
        <source>Curves appear when the run begins to train.</source>
        <translation>运行开始训练时显示曲线。</translation>
    </message>
    <message>
        <source>Drag the title to move the chart.</source>
        <translation>拖动标题可移动图表。</translation>
    </message>
    <message>
        <source>Pin to the top</source>
        <translation>固定在顶部</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>上移</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>下移</translation>
    </message>
</context>
<context>
    <name>strata::ui::DataPage</name>
    <message>
        <source>Source and split</source>
        <translation>数据源与划分</translation>
    </message>
    <message>
        <source>Reading the data…</source>
        <translation>正在读取数据…</translation>
    </message>
    <message>
        <source>%1 for training, %2 for validation, %3 for testing</source>
        <translation>训练 %1，验证 %2，测试 %3</translation>
    </message>
    <message>
        <source>Samples of shape %1 in %2: %3.</source>
        <translation>样本形状 %1，%2：%3。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln class(es)</source>
        <translation>
            <numerusform>%Ln 个类别</numerusform>
        </translation>
    </message>
    <message>
        <source>Samples of shape %1 with numeric targets: %2.</source>
        <translation>样本形状 %1，目标为数值：%2。</translation>
    </message>
    <message>
        <source>Images are decoded for each batch. Memory used: %2; if all images were decoded: %1.</source>
        <translation>图像按批次解码。占用内存 %2；若全部解码则需要 %1。</translation>
    </message>
    <message>
        <source>Memory used: %1.</source>
        <translation>占用内存：%1。</translation>
    </message>
    <message>
        <source>Files that have been read</source>
        <translation>已读取的文件</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>Reading the data was canceled.</source>
        <translation>已取消读取数据。</translation>
    </message>
    <message>
        <source>Reading the data: %1 of %2 files…</source>
        <translation>正在读取数据：%1 / %2 个文件…</translation>
    </message>
    <message>
        <source>Use a table (CSV)…</source>
        <translation>使用表格 (CSV)…</translation>
    </message>
    <message>
        <source>Choose a table of your own as the data</source>
        <translation>选择您自己的表格作为数据</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
</context>
<context>
    <name>strata::ui::DesignChangeLine</name>
    <message>
        <source>Revert design to %1</source>
        <translation>将设计恢复为%1</translation>
    </message>
    <message>
        <source>%1. The design has changed since: %2</source>
        <translation>%1。此后设计已改动：%2</translation>
    </message>
</context>
<context>
    <name>strata::ui::DesignChanges</name>
    <message numerus="yes">
        <source>%n layer(s)</source>
        <translation>
            <numerusform>%n 层</numerusform>
        </translation>
    </message>
    <message>
        <source>data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>training settings</source>
        <translation>训练设置</translation>
    </message>
    <message>
        <source>Changed: %1</source>
        <translation>已更改：%1</translation>
    </message>
    <message>
        <source>Added: %1</source>
        <translation>新增：%1</translation>
    </message>
    <message>
        <source>Removed: %1</source>
        <translation>已删除：%1</translation>
    </message>
    <message>
        <source>The data settings have changed.</source>
        <translation>数据设置已改变。</translation>
    </message>
    <message>
        <source>The training settings have changed.</source>
        <translation>训练设置已改变。</translation>
    </message>
    <message>
        <source>The training, validation or test samples have changed.</source>
        <translation>训练、验证或测试样本已改变。</translation>
    </message>
</context>
<context>
    <name>strata::ui::DesignPage</name>
    <message>
        <source>Cost column: %1</source>
        <translation>开销列：%1</translation>
    </message>
    <message>
        <source>Drop a layer between two rows, or press Enter to add one after the selection.</source>
        <translation>将层拖放到两行之间，或按回车键在所选层之后添加。</translation>
    </message>
    <message numerus="yes">
        <source>%n layer(s)</source>
        <translation>
            <numerusform>%n 层</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, %2, %3 multiply-adds in the forward pass</source>
        <translation>%1，%2，前向传播 %3 次乘加</translation>
    </message>
    <message>
        <source>%1; the totals are unknown, because some layers have problems</source>
        <translation>%1；总计未知，因为部分层有问题</translation>
    </message>
    <message>
        <source>List</source>
        <translation>列表</translation>
    </message>
    <message>
        <source>Compiled</source>
        <translation>编译结果</translation>
    </message>
    <message>
        <source>The graph of a training step after each pass</source>
        <translation>每个优化遍之后的训练步计算图</translation>
    </message>
</context>
<context>
    <name>strata::ui::DesktopNotice</name>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
</context>
<context>
    <name>strata::ui::DeviceForecast</name>
    <message>
        <source>Choose a GPU</source>
        <translation>选择 GPU</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>Calculating…</source>
        <translation>正在计算…</translation>
    </message>
    <message>
        <source>The estimate failed: %1</source>
        <translation>估算失败：%1</translation>
    </message>
    <message>
        <source>Fits: a step with batch size %1 needs %2 of %3, plus memory for kernels and the driver</source>
        <translation>可容纳：批大小为 %1 时，一步需要 %2（共 %3），内核和驱动还需另占显存</translation>
    </message>
    <message>
        <source>Does not fit: a step with batch size %1 needs %2, plus memory for kernels and the driver; the GPU has %3</source>
        <translation>无法容纳：批大小为 %1 时，一步需要 %2，内核和驱动还需另占显存；该 GPU 共有 %3</translation>
    </message>
    <message numerus="yes">
        <source>%1 operation(s) run twice to save memory</source>
        <translation>
            <numerusform>为节省内存，%1 个算子执行两次</numerusform>
        </translation>
    </message>
    <message>
        <source>A step takes at least %1, mostly for arithmetic</source>
        <translation>一步至少需要 %1，大部分时间用于计算</translation>
    </message>
    <message>
        <source>A step takes at least %1, mostly for memory traffic</source>
        <translation>一步至少需要 %1，大部分时间用于显存读写</translation>
    </message>
    <message>
        <source>A step takes at least %1, mostly for launching kernels</source>
        <translation>一步至少需要 %1，大部分时间用于启动内核</translation>
    </message>
    <message>
        <source>Fits: a step with batch size %1 needs %2 of %3, plus memory for the driver</source>
        <translation>可容纳：批大小为 %1 时，一步需要 %2（共 %3），驱动还需另占显存</translation>
    </message>
    <message>
        <source>Does not fit: a step with batch size %1 needs %2, plus memory for the driver; the GPU has %3</source>
        <translation>无法容纳：批大小为 %1 时，一步需要 %2，驱动还需另占显存；该 GPU 共有 %3</translation>
    </message>
    <message>
        <source>A step takes about %1, mostly for arithmetic</source>
        <translation>一步约需 %1，大部分时间用于计算</translation>
    </message>
    <message>
        <source>A step takes about %1, mostly for memory traffic</source>
        <translation>一步约需 %1，大部分时间用于显存读写</translation>
    </message>
    <message>
        <source>A step takes about %1, mostly for launching kernels</source>
        <translation>一步约需 %1，大部分时间用于启动内核</translation>
    </message>
    <message>
        <source>Number of GPUs</source>
        <translation>GPU 数量</translation>
    </message>
    <message numerus="yes">
        <source>%n GPU(s)</source>
        <translation>
            <numerusform>%n 个 GPU</numerusform>
        </translation>
    </message>
    <message>
        <source>The time on several GPUs is unknown, because %1 cannot be simulated</source>
        <translation>多个 GPU 上的时间未知，因为无法模拟 %1</translation>
    </message>
    <message numerus="yes">
        <source>A step with the same batch on %n GPU(s):</source>
        <translation>
            <numerusform>同一批次在 %n 个 GPU 上的一步：</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: about %2, of which %3 wait for communication; efficiency %4</source>
        <translation>%1：约 %2，其中 %3 等待通信；效率 %4</translation>
    </message>
    <message>
        <source>Predicted for a GPU, from its data sheet</source>
        <translation>对 GPU 的预测（依据其数据表）</translation>
    </message>
</context>
<context>
    <name>strata::ui::DevicePlot</name>
    <message>
        <source>%1 over time</source>
        <translation>%1随时间的变化</translation>
    </message>
    <message>
        <source>Training time</source>
        <translation>训练时间</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1 after %2</source>
        <translation>%2 之后的%1</translation>
    </message>
</context>
<context>
    <name>strata::ui::DeviceText</name>
    <message>
        <source>%1, simulated</source>
        <translation>%1（模拟）</translation>
    </message>
    <message>
        <source>compute capability %1</source>
        <translation>计算能力 %1</translation>
    </message>
    <message>
        <source>%1 for laptops</source>
        <translation>%1（笔记本电脑）</translation>
    </message>
    <message>
        <source>Data center, %1</source>
        <translation>数据中心，%1</translation>
    </message>
    <message>
        <source>Workstation, %1</source>
        <translation>工作站，%1</translation>
    </message>
    <message numerus="yes">
        <source>CPU, %n replicas</source>
        <translation>
            <numerusform>CPU，%n 个副本</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::DevicesLens</name>
    <message>
        <source>%1 °C</source>
        <translation>%1 °C</translation>
    </message>
    <message>
        <source>%1 W</source>
        <translation>%1 W</translation>
    </message>
    <message>
        <source>%1 MHz</source>
        <translation>%1 MHz</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>最高 %1</translation>
    </message>
    <message>
        <source>%1 of %2 memory in use</source>
        <translation>已使用 %1 内存，共 %2</translation>
    </message>
    <message>
        <source>simulated: clocks are those of the data sheet, and time is predicted</source>
        <translation>模拟：时钟频率取自产品规格，时间为预测值</translation>
    </message>
    <message>
        <source>memory and utilization of the whole machine</source>
        <translation>内存和利用率为整台计算机的值</translation>
    </message>
    <message>
        <source>The states of the devices appear when training begins.</source>
        <translation>训练开始后会显示设备的状态。</translation>
    </message>
    <message>
        <source>The states of the devices are unknown, because this run did not record them. Train again to see them.</source>
        <translation>设备的状态未知，因为此运行没有记录它们。请重新训练以查看。</translation>
    </message>
    <message>
        <source>Devices of a step</source>
        <translation>一步中的各设备</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Communication</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>Hidden</source>
        <translation>已隐藏</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>the same memory</source>
        <translation>同一内存</translation>
    </message>
    <message numerus="yes">
        <source>NVLink, %n links</source>
        <translation>
            <numerusform>NVLink，%n 条链路</numerusform>
        </translation>
    </message>
    <message>
        <source>PCIe, one switch</source>
        <translation>PCIe，一个交换机</translation>
    </message>
    <message>
        <source>PCIe, several switches</source>
        <translation>PCIe，多个交换机</translation>
    </message>
    <message>
        <source>PCIe through the processor</source>
        <translation>PCIe，经过处理器</translation>
    </message>
    <message>
        <source>PCIe through bridges of one processor</source>
        <translation>PCIe，经过一个处理器的多个桥</translation>
    </message>
    <message>
        <source>PCIe through several processors</source>
        <translation>PCIe，经过多个处理器</translation>
    </message>
    <message>
        <source>simulated, through memory of the machine</source>
        <translation>模拟，经过本机内存</translation>
    </message>
    <message>
        <source>unknown, because the driver does not report it</source>
        <translation>未知，因为驱动程序不报告</translation>
    </message>
    <message>
        <source>Devices of the run</source>
        <translation>运行的设备</translation>
    </message>
    <message>
        <source>Time of a step on each device</source>
        <translation>每台设备上一步的时间</translation>
    </message>
    <message>
        <source>Memory by category</source>
        <translation>按类别的内存</translation>
    </message>
    <message>
        <source>Memory of each device by category</source>
        <translation>每台设备按类别的内存</translation>
    </message>
    <message>
        <source>Connections</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Compute with hidden communication</source>
        <translation>计算（掩盖通信）</translation>
    </message>
    <message>
        <source>Unknown, because %1.</source>
        <translation>未知，因为%1。</translation>
    </message>
    <message>
        <source>%1 and %2: %3</source>
        <translation>%1 与 %2：%3</translation>
    </message>
    <message numerus="yes">
        <source>and %n other pairs</source>
        <translation>
            <numerusform>以及另外 %n 对</numerusform>
        </translation>
    </message>
    <message>
        <source>process</source>
        <translation>进程</translation>
    </message>
    <message>
        <source>%1 (%2): %3</source>
        <translation>%1（%2）：%3</translation>
    </message>
    <message numerus="yes">
        <source>and %n other program(s)</source>
        <translation>
            <numerusform>以及另外 %n 个程序</numerusform>
        </translation>
    </message>
    <message>
        <source>Means of all devices. Transfer is the time without waiting for others. Bus bandwidth is the speed of a connection that moves as few bytes as possible (nccl-tests).</source>
        <translation>所有设备的平均值。传输是不含等待其他设备的时间。总线带宽是以最少字节传输时连接的速度（nccl-tests）。</translation>
    </message>
    <message>
        <source>%1 (predicted)</source>
        <translation>%1（预测）</translation>
    </message>
    <message>
        <source>Communication of a step</source>
        <translation>一步的通信</translation>
    </message>
    <message>
        <source>Calls</source>
        <translation>调用次数</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Mean of a call</source>
        <translation>每次调用平均</translation>
    </message>
    <message>
        <source>Transfer</source>
        <translation>传输</translation>
    </message>
    <message>
        <source>Bus bandwidth</source>
        <translation>总线带宽</translation>
    </message>
    <message>
        <source>The weights of all devices were compared after step %1, and are equal.</source>
        <translation>第 %1 步之后比较了所有设备的权重，它们相同。</translation>
    </message>
    <message>
        <source>An update uses %1 samples: %2 devices × %3 micro-batches × %4</source>
        <translation>一次更新使用 %1 个样本：%2 个设备 × %3 个微批次 × %4</translation>
    </message>
    <message>
        <source>An update uses %1 samples: %2 devices × %3</source>
        <translation>一次更新使用 %1 个样本：%2 个设备 × %3</translation>
    </message>
    <message>
        <source>The weights of the devices have not been compared. This happens before each checkpoint, unless the devices have different weights.</source>
        <translation>尚未比较各设备的权重。每次保存检查点之前都会比较，除非各设备的权重本来就不同。</translation>
    </message>
    <message>
        <source>An update uses %1 samples.</source>
        <translation>一次更新使用 %1 个样本。</translation>
    </message>
    <message>
        <source>The next run, of the open design:</source>
        <translation>下一次运行（打开的设计）：</translation>
    </message>
    <message>
        <source>%1 GB/s</source>
        <translation>%1 GB/s</translation>
    </message>
    <message>
        <source>a simulated card does not have values of this kind</source>
        <translation>模拟显卡没有此类数值</translation>
    </message>
    <message>
        <source>the driver does not report values of this kind</source>
        <translation>驱动不提供此类数值</translation>
    </message>
    <message>
        <source>Strata does not read values of this kind from a processor</source>
        <translation>处理器的此类数值不由 Strata 读取</translation>
    </message>
    <message>
        <source>peak %1</source>
        <translation>峰值 %1</translation>
    </message>
    <message>
        <source>%1: unknown, because %2.</source>
        <translation>%1：未知，因为%2。</translation>
    </message>
</context>
<context>
    <name>strata::ui::DigitPad</name>
    <message>
        <source>Drawing pad</source>
        <translation>绘图板</translation>
    </message>
    <message>
        <source>Draw a digit with the mouse, or drop an image.</source>
        <translation>用鼠标画一个数字，或拖入一张图像。</translation>
    </message>
    <message>
        <source>Draw a digit here</source>
        <translation>在此画一个数字</translation>
    </message>
</context>
<context>
    <name>strata::ui::DistributionPlot</name>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>mean %1, deviation %2</source>
        <translation>均值 %1，标准差 %2</translation>
    </message>
    <message>
        <source>from %1 to %2</source>
        <translation>从 %1 到 %2</translation>
    </message>
    <message>
        <source>zeros %1</source>
        <translation>零 %1</translation>
    </message>
    <message>
        <source>%1 not finite</source>
        <translation>%1 个非有限值</translation>
    </message>
</context>
<context>
    <name>strata::ui::DocumentChecks</name>
    <message>
        <source>The project could not be checked: %1. Undo the last edit and report this problem.</source>
        <translation>无法检查项目：%1。请撤销上一次编辑，并报告此问题。</translation>
    </message>
    <message>
        <source>unknown, because the network has problems</source>
        <translation>未知，因为网络有问题</translation>
    </message>
</context>
<context>
    <name>strata::ui::Drawer</name>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Close the drawer</source>
        <translation>关闭底部面板</translation>
    </message>
    <message numerus="yes">
        <source>Training did not start: fix %n problem(s) first.</source>
        <translation>
            <numerusform>训练未开始：请先解决 %n 个问题。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1  %2</source>
        <translation>%1  %2</translation>
    </message>
</context>
<context>
    <name>strata::ui::EarlyStoppingForm</name>
    <message>
        <source>Early stopping</source>
        <translation>早停</translation>
    </message>
</context>
<context>
    <name>strata::ui::ElidedLabel</name>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
</context>
<context>
    <name>strata::ui::Estimate</name>
    <message>
        <source>unknown, because: %1</source>
        <translation>未知，原因：%1</translation>
    </message>
    <message>
        <source>unknown, because a run is using this machine</source>
        <translation>未知，因为有运行正在使用这台机器</translation>
    </message>
    <message>
        <source>unknown, because the network does not fit in memory</source>
        <translation>未知，因为内存放不下该网络</translation>
    </message>
    <message>
        <source>unknown until a few trial steps have run</source>
        <translation>未知，需先运行几个试验步</translation>
    </message>
    <message>
        <source>unknown until it is predicted</source>
        <translation>未知，尚待预测</translation>
    </message>
</context>
<context>
    <name>strata::ui::EvaluationCard</name>
    <message>
        <source>Curves and calibration</source>
        <translation>曲线与校准</translation>
    </message>
    <message>
        <source>Class of the curves</source>
        <translation>曲线的类别</translation>
    </message>
    <message>
        <source>ROC curve</source>
        <translation>ROC 曲线</translation>
    </message>
    <message>
        <source>False positive rate</source>
        <translation>假正率</translation>
    </message>
    <message>
        <source>True positive rate</source>
        <translation>真正率</translation>
    </message>
    <message>
        <source>Precision-recall curve</source>
        <translation>精确率-召回率曲线</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>召回率</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精确率</translation>
    </message>
    <message>
        <source>Reliability diagram</source>
        <translation>可靠性图</translation>
    </message>
    <message>
        <source>Predicted probability</source>
        <translation>预测概率</translation>
    </message>
    <message>
        <source>Share of positive samples</source>
        <translation>正样本比例</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>All classes</source>
        <translation>所有类别</translation>
    </message>
    <message>
        <source>all classes together</source>
        <translation>所有类别合计</translation>
    </message>
    <message>
        <source>The curve of all classes together, and of each of the first classes</source>
        <translation>所有类别合计的曲线，以及前几个类别各自的曲线</translation>
    </message>
    <message>
        <source>Expected calibration error %1.</source>
        <translation>期望校准误差 %1。</translation>
    </message>
    <message>
        <source>The calibration is unknown, because %1.</source>
        <translation>校准未知，因为%1。</translation>
    </message>
    <message>
        <source>Brier score %1.</source>
        <translation>Brier 分数 %1。</translation>
    </message>
    <message>
        <source>The Brier score is unknown, because %1.</source>
        <translation>Brier 分数未知，因为%1。</translation>
    </message>
    <message>
        <source>ROC area %1.</source>
        <translation>ROC 面积 %1。</translation>
    </message>
    <message>
        <source>The ROC curve is unknown, because %1.</source>
        <translation>ROC 曲线未知，因为%1。</translation>
    </message>
    <message>
        <source>Mean ROC area of the classes %1.</source>
        <translation>各类别的平均 ROC 面积 %1。</translation>
    </message>
    <message>
        <source>The mean ROC area is unknown, because %1.</source>
        <translation>平均 ROC 面积未知，因为%1。</translation>
    </message>
    <message>
        <source>Bars: share of positive samples by predicted probability. On the line, probabilities match frequencies.</source>
        <translation>柱：按预测概率统计的正样本比例。在线上，概率与频率一致。</translation>
    </message>
</context>
<context>
    <name>strata::ui::ExplanationCard</name>
    <message>
        <source>What matters in this sample</source>
        <translation>此样本中的关键之处</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>The sample</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>The sample with the places that matter</source>
        <translation>标出关键位置的样本</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Saliency</source>
        <translation>显著性</translation>
    </message>
    <message>
        <source>Grad-CAM</source>
        <translation>Grad-CAM</translation>
    </message>
    <message>
        <source>Occlusion</source>
        <translation>遮挡</translation>
    </message>
    <message>
        <source>How strongly the score reacts to each pixel</source>
        <translation>分数对每个像素的反应强度</translation>
    </message>
    <message>
        <source>Where a layer raises the score</source>
        <translation>某层在何处提高分数</translation>
    </message>
    <message>
        <source>How much the score drops where a patch covers the image</source>
        <translation>图块遮住图像时分数下降多少</translation>
    </message>
    <message>
        <source>Class to explain</source>
        <translation>要解释的类别</translation>
    </message>
    <message>
        <source>Predicted class</source>
        <translation>预测类别</translation>
    </message>
    <message>
        <source>Layer of Grad-CAM</source>
        <translation>Grad-CAM 的层</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Canceled.</source>
        <translation>已取消。</translation>
    </message>
    <message>
        <source>Explaining…</source>
        <translation>正在解释…</translation>
    </message>
    <message>
        <source>Sample %1: true class %2. Score of %3: %4.</source>
        <translation>样本 %1：真实类别 %2。%3 的分数：%4。</translation>
    </message>
    <message>
        <source>%1 Layer %2.</source>
        <translation>%1 层 %2。</translation>
    </message>
    <message>
        <source>%1 The map does not have the size of the image.</source>
        <translation>%1 图的大小与图像不同。</translation>
    </message>
    <message>
        <source>%1 No place matters.</source>
        <translation>%1 没有关键位置。</translation>
    </message>
    <message>
        <source>Last layer</source>
        <translation>最后一层</translation>
    </message>
    <message>
        <source>What each column contributes to the score</source>
        <translation>每一列对分数的贡献</translation>
    </message>
    <message>
        <source>Explanations are shown for images and rows of tables only.</source>
        <translation>只对图像和表格的行显示解释。</translation>
    </message>
    <message>
        <source>Column</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Contribution</source>
        <translation>贡献</translation>
    </message>
    <message>
        <source>Raises the score</source>
        <translation>提高分数</translation>
    </message>
    <message>
        <source>Lowers the score</source>
        <translation>降低分数</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>%1 Each column contributes its value as the network receives it, times the gradient of the score.</source>
        <translation>%1 每一列的贡献是网络收到的值乘以分数的梯度。</translation>
    </message>
</context>
<context>
    <name>strata::ui::FieldForm</name>
    <message>
        <source>%1. %2</source>
        <translation>%1。%2</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>调度</translation>
    </message>
    <message>
        <source>How the value changes during training; none: it stays constant</source>
        <translation>该值在训练期间如何变化；无：保持不变</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>strata::ui::Fields</name>
    <message numerus="yes">
        <source>%n layer(s)</source>
        <translation>
            <numerusform>%n 层</numerusform>
        </translation>
    </message>
    <message>
        <source>more than %1 and less than %2</source>
        <translation>大于 %1 且小于 %2</translation>
    </message>
    <message>
        <source>more than %1 and at most %2</source>
        <translation>大于 %1 且不大于 %2</translation>
    </message>
    <message>
        <source>at least %1 and less than %2</source>
        <translation>不小于 %1 且小于 %2</translation>
    </message>
    <message>
        <source>between %1 and %2</source>
        <translation>介于 %1 和 %2 之间</translation>
    </message>
    <message>
        <source>more than %1</source>
        <translation>大于 %1</translation>
    </message>
    <message>
        <source>%1 or more</source>
        <translation>不小于 %1</translation>
    </message>
    <message>
        <source>less than %1</source>
        <translation>小于 %1</translation>
    </message>
    <message>
        <source>%1 or less</source>
        <translation>不大于 %1</translation>
    </message>
    <message>
        <source>Expected a whole number.</source>
        <translation>应为整数。</translation>
    </message>
    <message>
        <source>Expected a whole number, %1.</source>
        <translation>应为整数，%1。</translation>
    </message>
    <message>
        <source>Expected a number.</source>
        <translation>应为数字。</translation>
    </message>
    <message>
        <source>Expected a number, %1.</source>
        <translation>应为数字，%1。</translation>
    </message>
    <message>
        <source>Expected one or two whole numbers, for example 3 × 3.</source>
        <translation>应为一个或两个整数，例如 3 × 3。</translation>
    </message>
    <message>
        <source>Expected one or two whole numbers, each %1, for example 3 × 3.</source>
        <translation>应为一个或两个整数，每个%1，例如 3 × 3。</translation>
    </message>
    <message>
        <source>Expected whole numbers, for example 28 × 28 × 1.</source>
        <translation>应为若干整数，例如 28 × 28 × 1。</translation>
    </message>
    <message>
        <source>Expected whole numbers, each %1, for example 28 × 28 × 1.</source>
        <translation>应为若干整数，每个%1，例如 28 × 28 × 1。</translation>
    </message>
    <message>
        <source>Expected whole numbers separated by commas.</source>
        <translation>应为以逗号分隔的整数。</translation>
    </message>
    <message>
        <source>Expected numbers separated by commas.</source>
        <translation>应为以逗号分隔的数字。</translation>
    </message>
    <message>
        <source>Expected yes or no.</source>
        <translation>应为“是”或“否”。</translation>
    </message>
    <message>
        <source>Expected a value.</source>
        <translation>请填写一个值。</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>%1 × %1</source>
        <translation>%1 × %1</translation>
    </message>
    <message>
        <source>Range: %1</source>
        <translation>范围：%1</translation>
    </message>
    <message>
        <source>Unit: %1</source>
        <translation>单位：%1</translation>
    </message>
    <message>
        <source>Required</source>
        <translation>必填</translation>
    </message>
    <message>
        <source>Default: %1</source>
        <translation>默认值：%1</translation>
    </message>
    <message>
        <source>Name in the file: %1</source>
        <translation>文件中的名称：%1</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Expected a size in bytes, for example 512 MiB or 1.5 GiB.</source>
        <translation>应为以字节为单位的大小，例如 512 MiB 或 1.5 GiB。</translation>
    </message>
    <message>
        <source>Expected names separated by commas.</source>
        <translation>应为以逗号分隔的名称。</translation>
    </message>
    <message>
        <source>Expected one or three whole numbers.</source>
        <translation>应为一个或三个整数。</translation>
    </message>
    <message>
        <source>Expected one whole number for all directions, one per direction, or two per direction, for example 1, 2, 0, 1.</source>
        <translation>应为一个整数、每个方向一个整数，或每个方向两个整数，例如 1, 2, 0, 1。</translation>
    </message>
    <message>
        <source>Expected one whole number, or two numbers: before and after.</source>
        <translation>应为一个整数，或前、后两个整数。</translation>
    </message>
    <message>
        <source>Expected a whole number, or one of: %1.</source>
        <translation>应为整数，或下列值之一：%1。</translation>
    </message>
    <message>
        <source>Expected numbers separated by commas, names with numbers such as cat: 1, dog: 2.5, or %1.</source>
        <translation>应为以逗号分隔的数字、带数字的名称（如 cat: 1, dog: 2.5）或 %1。</translation>
    </message>
</context>
<context>
    <name>strata::ui::FileDesk</name>
    <message>
        <source>The project was not opened</source>
        <translation>项目未打开</translation>
    </message>
    <message>
        <source>Open a project</source>
        <translation>打开项目</translation>
    </message>
    <message>
        <source>Strata projects (*.json)</source>
        <translation>Strata 项目 (*.json)</translation>
    </message>
    <message>
        <source>Save %1</source>
        <translation>保存 %1</translation>
    </message>
    <message>
        <source>Another program has changed %1 since you opened it. Saving overwrites those changes.</source>
        <translation>您打开 %1 之后，其他程序修改了该文件。保存会覆盖那些修改。</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>覆盖</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>另存为…</translation>
    </message>
    <message>
        <source>Save the project</source>
        <translation>保存项目</translation>
    </message>
    <message>
        <source>The project was not saved</source>
        <translation>项目未保存</translation>
    </message>
    <message>
        <source>Close %1</source>
        <translation>关闭 %1</translation>
    </message>
    <message>
        <source>The project is training and has unsaved changes. Closing it stops the run; the weights and a checkpoint are kept.</source>
        <translation>该项目正在训练，并且有未保存的更改。关闭会停止运行，权重和一个检查点会保留下来。</translation>
    </message>
    <message>
        <source>The project is training. Closing it stops the run; the weights and a checkpoint are kept.</source>
        <translation>该项目正在训练。关闭会停止运行，权重和一个检查点会保留下来。</translation>
    </message>
    <message>
        <source>The project has unsaved changes.</source>
        <translation>该项目有未保存的更改。</translation>
    </message>
    <message>
        <source>Stop, save and close</source>
        <translation>停止、保存并关闭</translation>
    </message>
    <message>
        <source>Save and close</source>
        <translation>保存并关闭</translation>
    </message>
    <message>
        <source>Stop and close</source>
        <translation>停止并关闭</translation>
    </message>
    <message>
        <source>Stop and close without saving</source>
        <translation>停止并关闭，不保存更改</translation>
    </message>
    <message>
        <source>Close without saving</source>
        <translation>不保存并关闭</translation>
    </message>
    <message>
        <source>Keep working</source>
        <translation>继续工作</translation>
    </message>
    <message>
        <source>Quit Strata</source>
        <translation>退出 Strata</translation>
    </message>
    <message numerus="yes">
        <source>There are unsaved changes in %1 and %n other project(s).</source>
        <translation>
            <numerusform>%1 和另外 %n 个项目有未保存的更改。</numerusform>
        </translation>
    </message>
    <message>
        <source>There are unsaved changes in %1.</source>
        <translation>%1 有未保存的更改。</translation>
    </message>
    <message>
        <source>A run is in progress. Quitting stops it; the weights and a checkpoint are kept, so that you can continue it later.</source>
        <translation>有运行正在进行。退出会停止该运行，权重和一个检查点会保留下来，之后可以继续。</translation>
    </message>
    <message>
        <source>Save and quit</source>
        <translation>保存并退出</translation>
    </message>
    <message>
        <source>Stop and quit</source>
        <translation>停止并退出</translation>
    </message>
    <message>
        <source>Quit without saving</source>
        <translation>不保存并退出</translation>
    </message>
    <message>
        <source>Choose the folder that contains one folder of images per class</source>
        <translation>选择图像文件夹（其中每个类别一个文件夹）</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>未命名</translation>
    </message>
    <message>
        <source>The project is training and was never saved. Closing it stops the run. Save it to find its runs again.</source>
        <translation>该项目正在训练，且从未保存。关闭会停止运行。请保存项目，以便再次找到它的运行。</translation>
    </message>
    <message>
        <source>The project was never saved. Save it to find its runs again.</source>
        <translation>该项目从未保存。请保存项目，以便再次找到它的运行。</translation>
    </message>
    <message numerus="yes">
        <source>Save the project(s) to find the runs of %1 again.</source>
        <translation>
            <numerusform>请保存 %1，以便再次找到它们的运行。</numerusform>
        </translation>
    </message>
    <message>
        <source>The recording was not opened</source>
        <translation>未能打开记录</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message numerus="yes">
        <source>%n queued run(s) of the project will not start.</source>
        <translation>
            <numerusform>该项目排队的 %n 次运行将不会开始。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n queued run(s) will not start.</source>
        <translation>
            <numerusform>排队的 %n 次运行将不会开始。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::FilesCard</name>
    <message>
        <source>Predict files</source>
        <translation>预测文件</translation>
    </message>
    <message>
        <source>Predictions of the files</source>
        <translation>文件的预测</translation>
    </message>
    <message>
        <source>Choose files…</source>
        <translation>选择文件…</translation>
    </message>
    <message>
        <source>Images, tables or arrays. You can also drop them here.</source>
        <translation>图像、表格或数组。也可以拖放到此处。</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>选择文件夹…</translation>
    </message>
    <message>
        <source>Predicts all images in the folder.</source>
        <translation>预测文件夹中的所有图像。</translation>
    </message>
    <message>
        <source>Measure the speed</source>
        <translation>测量速度</translation>
    </message>
    <message>
        <source>Measures how long predictions take.</source>
        <translation>测量预测所需的时间。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Save as CSV…</source>
        <translation>另存为 CSV…</translation>
    </message>
    <message>
        <source>Saves the table of predictions.</source>
        <translation>保存预测表格。</translation>
    </message>
    <message>
        <source>Choose a folder with images</source>
        <translation>选择包含图像的文件夹</translation>
    </message>
    <message>
        <source>Choose files to predict</source>
        <translation>选择要预测的文件</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Prediction</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Probability</source>
        <translation>概率</translation>
    </message>
    <message>
        <source>Next classes</source>
        <translation>其次的类别</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1%2</translation>
    </message>
    <message>
        <source>Predicting…</source>
        <translation>正在预测…</translation>
    </message>
    <message>
        <source>Drop images or a folder here.</source>
        <translation>将图像或文件夹拖放到此处。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln prediction(s)</source>
        <translation>
            <numerusform>%Ln 个预测</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s) could not be read</source>
        <translation>
            <numerusform>%Ln 个文件无法读取</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more file(s) left out</source>
        <translation>
            <numerusform>另有 %Ln 个文件未处理</numerusform>
        </translation>
    </message>
    <message>
        <source>Batch of %1: %2 (from %3 to %4), %5 samples/s</source>
        <translation>批大小 %1：%2（%3 至 %4），%5 样本/秒</translation>
    </message>
    <message numerus="yes">
        <source>Measured with %Ln thread(s), without reading files.</source>
        <translation>
            <numerusform>使用 %Ln 个线程测量，不含读取文件。</numerusform>
        </translation>
    </message>
    <message>
        <source>The times may be much too long: another program was busy while they were measured.</source>
        <translation>这些时间可能明显偏长：测量期间有其他程序占用机器。</translation>
    </message>
    <message>
        <source>Save the predictions</source>
        <translation>保存预测</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>表格 (*.csv)</translation>
    </message>
    <message>
        <source>%1 saved.</source>
        <translation>已保存 %1。</translation>
    </message>
    <message>
        <source>%1 was not saved: %2</source>
        <translation>%1 未保存：%2</translation>
    </message>
</context>
<context>
    <name>strata::ui::FinderSection</name>
    <message>
        <source>learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>Find learning rate</source>
        <translation>搜索学习率</translation>
    </message>
    <message>
        <source>Trains a few steps at rising rates and shows where the loss falls fastest. The weights of runs do not change.</source>
        <translation>以逐渐增大的学习率训练若干步，显示损失下降最快的位置。各运行的权重不会改变。</translation>
    </message>
    <message>
        <source>Find batch size</source>
        <translation>搜索批大小</translation>
    </message>
    <message>
        <source>Measures the time per sample and the memory of several batch sizes.</source>
        <translation>测量若干批大小下每个样本的时间和内存。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Stops the search</source>
        <translation>停止搜索</translation>
    </message>
    <message>
        <source>Loss by learning rate</source>
        <translation>各学习率下的损失</translation>
    </message>
    <message>
        <source>Batch sizes</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>Search canceled.</source>
        <translation>搜索已取消。</translation>
    </message>
    <message>
        <source>Search canceled, because a run uses this machine.</source>
        <translation>搜索已取消，因为有运行正在使用这台机器。</translation>
    </message>
    <message>
        <source>Preparing the search…</source>
        <translation>正在准备搜索…</translation>
    </message>
    <message>
        <source>Step %1 of %2, learning rate %3</source>
        <translation>第 %1 步，共 %2 步，学习率 %3</translation>
    </message>
    <message>
        <source>No suggestion, because the loss fell by no more than it varies between batches. Try a larger batch size.</source>
        <translation>没有建议值，因为损失的下降幅度没有超过它在各批次之间的波动。请尝试更大的批大小。</translation>
    </message>
    <message>
        <source>The loss falls fastest at a learning rate of %1, and is lowest at %2.</source>
        <translation>学习率为 %1 时损失下降最快，为 %2 时损失最低。</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>采用 %1</translation>
    </message>
    <message>
        <source>Use the learning rate %1</source>
        <translation>采用学习率 %1</translation>
    </message>
    <message>
        <source>Tried batch size %1…</source>
        <translation>已尝试批大小 %1…</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>采用</translation>
    </message>
    <message>
        <source>Use the batch size %1</source>
        <translation>采用批大小 %1</translation>
    </message>
    <message>
        <source>batch size</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>No batch size fits in %1.</source>
        <translation>没有 %1 可以容纳的批大小。</translation>
    </message>
    <message>
        <source>Batch size %1 takes the least time per sample.</source>
        <translation>批大小为 %1 时，每个样本用时最少。</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Per sample</source>
        <translation>每个样本</translation>
    </message>
    <message>
        <source>Batch size %1 takes the least time per sample. The largest one that ran is %2.</source>
        <translation>批大小为 %1 时，每个样本用时最少。实际运行成功的最大批大小为 %2。</translation>
    </message>
    <message>
        <source>The largest batch size that ran is %1.</source>
        <translation>实际运行成功的最大批大小为 %1。</translation>
    </message>
    <message>
        <source>predicted %1</source>
        <translation>预测 %1</translation>
    </message>
</context>
<context>
    <name>strata::ui::FoldSection</name>
    <message>
        <source>open</source>
        <translation>已展开</translation>
    </message>
    <message>
        <source>closed</source>
        <translation>已折叠</translation>
    </message>
    <message numerus="yes">
        <source>%1: %n problem(s)</source>
        <translation>
            <numerusform>%1：%n 个问题</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::Format</name>
    <message numerus="yes">
        <source>%1 parameter(s)</source>
        <translation>
            <numerusform>%1 个参数</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 T</source>
        <translation>%1 T</translation>
    </message>
    <message>
        <source>%1 G</source>
        <translation>%1 G</translation>
    </message>
    <message>
        <source>%1 M</source>
        <translation>%1 M</translation>
    </message>
    <message>
        <source>%1 k</source>
        <translation>%1 k</translation>
    </message>
    <message>
        <source>%1 TiB</source>
        <translation>%1 TiB</translation>
    </message>
    <message>
        <source>%1 GiB</source>
        <translation>%1 GiB</translation>
    </message>
    <message>
        <source>%1 MiB</source>
        <translation>%1 MiB</translation>
    </message>
    <message>
        <source>%1 KiB</source>
        <translation>%1 KiB</translation>
    </message>
    <message>
        <source>%1 B</source>
        <translation>%1 B</translation>
    </message>
    <message>
        <source>0 s</source>
        <translation>0 s</translation>
    </message>
    <message>
        <source>%1 µs</source>
        <translation>%1 µs</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 min %2 s</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 h %2 min</translation>
    </message>
    <message>
        <source>just now</source>
        <translation>刚刚</translation>
    </message>
    <message>
        <source>%1 s ago</source>
        <translation>%1 秒前</translation>
    </message>
    <message numerus="yes">
        <source>%n min ago</source>
        <translation>
            <numerusform>%n 分钟前</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n h ago</source>
        <translation>
            <numerusform>%n 小时前</numerusform>
        </translation>
    </message>
    <message>
        <source>%1%</source>
        <translation>%1%</translation>
    </message>
    <message>
        <source>not a number</source>
        <translation>非数字</translation>
    </message>
    <message>
        <source>infinity</source>
        <translation>无穷大</translation>
    </message>
    <message>
        <source>minus infinity</source>
        <translation>负无穷大</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>准确率</translation>
    </message>
    <message>
        <source>scalar</source>
        <translation>标量</translation>
    </message>
    <message>
        <source>Mean absolute error</source>
        <translation>平均绝对误差</translation>
    </message>
    <message>
        <source>Mean squared error</source>
        <translation>均方误差</translation>
    </message>
    <message>
        <source>Weighted %1</source>
        <translation>加权%1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1、%2</translation>
    </message>
    <message>
        <source>&lt;%1</source>
        <translation>&lt;%1</translation>
    </message>
</context>
<context>
    <name>strata::ui::HelpDialogs</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>%1 (if no run is active: %2)</source>
        <translation>%1（没有运行时：%2）</translation>
    </message>
    <message>
        <source>Find a layer to add (in the list of layers)</source>
        <translation>查找要添加的层（在层列表中）</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Qt %1</source>
        <translation>Qt %1</translation>
    </message>
    <message>
        <source>About Strata</source>
        <translation>关于 Strata</translation>
    </message>
    <message>
        <source>&lt;b&gt;Strata %1&lt;/b&gt;&lt;br&gt;A workbench for training neural networks.</source>
        <translation>&lt;b&gt;Strata %1&lt;/b&gt;&lt;br&gt;用于训练神经网络的工作台。</translation>
    </message>
    <message>
        <source>Window and programs: GPL 3 or later. Engine and core: Apache 2.0.

Built with %1.</source>
        <translation>窗口和程序：GPL 3 或更高版本。引擎和核心：Apache 2.0。

构建使用 %1。</translation>
    </message>
</context>
<context>
    <name>strata::ui::InputsEditor</name>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Previous layer: %1</source>
        <translation>上一层：%1</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Layer that provides the input; default: the previous layer</source>
        <translation>提供输入的层；默认为上一层</translation>
    </message>
    <message>
        <source>Layers that provide the inputs, in this order</source>
        <translation>依次提供各输入的层</translation>
    </message>
</context>
<context>
    <name>strata::ui::Inspector</name>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>训练</translation>
    </message>
</context>
<context>
    <name>strata::ui::Language</name>
    <message>
        <source>Restart Strata to use English.</source>
        <translation>重新启动 Strata 以使用简体中文。</translation>
    </message>
</context>
<context>
    <name>strata::ui::LanguageNotice</name>
    <message>
        <source>Hide this line</source>
        <translation>隐藏此行</translation>
    </message>
    <message>
        <source>Restart Strata to change the language.</source>
        <translation>重新启动 Strata 以更改语言。</translation>
    </message>
</context>
<context>
    <name>strata::ui::LaunchDialog</name>
    <message>
        <source>failed: %1</source>
        <translation>失败：%1</translation>
    </message>
    <message>
        <source>ended</source>
        <translation>已结束</translation>
    </message>
    <message>
        <source>ended with exit code %1</source>
        <translation>已结束，退出代码 %1</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>正在启动</translation>
    </message>
    <message>
        <source>lost</source>
        <translation>已失去联系</translation>
    </message>
    <message>
        <source>preparing</source>
        <translation>正在准备</translation>
    </message>
    <message>
        <source>saving</source>
        <translation>正在保存</translation>
    </message>
    <message>
        <source>training</source>
        <translation>正在训练</translation>
    </message>
    <message>
        <source>Train in several processes</source>
        <translation>用多个进程训练</translation>
    </message>
    <message>
        <source>Processes</source>
        <translation>进程数</translation>
    </message>
    <message>
        <source>How many processes share each batch. Each has the devices of the project.</source>
        <translation>有多少个进程分担每个批次。每个进程都使用项目中的设备。</translation>
    </message>
    <message>
        <source>this machine</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Hosts</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>Machines that share the processes, such as node1,node2. They have the same files at the same paths, and ssh reaches them without a password.</source>
        <translation>分担这些进程的机器，例如 node1,node2。各机器上的文件及其路径相同，且 ssh 无需密码即可登录。</translation>
    </message>
    <message>
        <source>State of each process</source>
        <translation>各进程的状态</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>进程</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Last report</source>
        <translation>最近报告</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Stop and save</source>
        <translation>停止并保存</translation>
    </message>
    <message>
        <source>End without saving</source>
        <translation>不保存，直接结束</translation>
    </message>
    <message>
        <source>%1: saving the network</source>
        <translation>%1：正在保存网络</translation>
    </message>
    <message>
        <source>%1: the processes are starting</source>
        <translation>%1：各进程正在启动</translation>
    </message>
    <message>
        <source>%1: trains in %2</source>
        <translation>%1：正在训练，目录为 %2</translation>
    </message>
    <message>
        <source>%1: finished. Results lists the run %2.</source>
        <translation>%1：已完成。该运行 %2 已列在“结果”页中。</translation>
    </message>
    <message>
        <source>%1: stopped. The run is in %2.</source>
        <translation>%1：已停止。运行保存在 %2。</translation>
    </message>
    <message>
        <source>%1: failed. The log says why.</source>
        <translation>%1：失败。原因见日志。</translation>
    </message>
    <message>
        <source>Trains %1 in processes that share each batch. The result is that of as many devices in one process.</source>
        <translation>用多个进程训练 %1，它们分担每个批次。结果与一个进程使用同样多的设备相同。</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>启动程序</translation>
    </message>
    <message>
        <source>watches the processes</source>
        <translation>正在监视各进程</translation>
    </message>
    <message>
        <source>%1 s ago</source>
        <translation>%1 秒前</translation>
    </message>
    <message>
        <source>Log of launch</source>
        <translation>启动程序的日志</translation>
    </message>
    <message>
        <source>Log of process %1</source>
        <translation>进程 %1 的日志</translation>
    </message>
</context>
<context>
    <name>strata::ui::LaunchedRun</name>
    <message>
        <source>%1 cannot be started. Install Strata again.</source>
        <translation>无法启动 %1。请重新安装 Strata。</translation>
    </message>
    <message>
        <source>The program %1 is missing. Install Strata again.</source>
        <translation>缺少程序 %1。请重新安装 Strata。</translation>
    </message>
</context>
<context>
    <name>strata::ui::LayerCheckCard</name>
    <message>
        <source>Check this layer</source>
        <translation>检查此层</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>Runs the layer forward and backward on the device of the run and on the reference device, and compares the results.</source>
        <translation>在运行的设备和参考设备上对该层做前向和反向计算，并比较结果。</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Largest difference</source>
        <translation>最大差异</translation>
    </message>
    <message>
        <source>Relative</source>
        <translation>相对</translation>
    </message>
    <message>
        <source>Float32 steps</source>
        <translation>float32 步距</translation>
    </message>
    <message>
        <source>Checking %1 …</source>
        <translation>正在检查 %1…</translation>
    </message>
    <message>
        <source>Select a layer in the table.</source>
        <translation>请在表格中选择一层。</translation>
    </message>
    <message>
        <source>Compares %1 with the reference device.</source>
        <translation>将 %1 与参考设备比较。</translation>
    </message>
    <message>
        <source>%1, allowed %2</source>
        <translation>%1，允许 %2</translation>
    </message>
</context>
<context>
    <name>strata::ui::LayerCurve</name>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Step %1: %2</source>
        <translation>第 %1 步：%2</translation>
    </message>
</context>
<context>
    <name>strata::ui::LayerHealthModel</name>
    <message>
        <source>%1 not finite</source>
        <translation>%1 个非有限值</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Units with the same output for all samples</source>
        <translation>对所有样本输出都相同的单元</translation>
    </message>
    <message>
        <source>Outputs at which the activation has nearly no slope</source>
        <translation>激活函数几乎没有斜率处的输出</translation>
    </message>
    <message>
        <source>Mean and standard deviation</source>
        <translation>均值和标准差</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判断</translation>
    </message>
    <message>
        <source>Update</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>Outputs</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Dead units</source>
        <translation>失活单元</translation>
    </message>
    <message>
        <source>Saturated</source>
        <translation>饱和</translation>
    </message>
    <message>
        <source>How much a step changes the weights, as a part of their norm. About 0.1% is usual.</source>
        <translation>每步使权重改变的量占其范数的比例。通常约为 0.1%。</translation>
    </message>
</context>
<context>
    <name>strata::ui::LayerItemModel</name>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Multiply-adds</source>
        <translation>乘加次数</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>not timed separately</source>
        <translation>未单独计时</translation>
    </message>
    <message>
        <source>(no name)</source>
        <translation>（无名称）</translation>
    </message>
    <message>
        <source>(no type)</source>
        <translation>（无类型）</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Multiply-adds, batch size %1</source>
        <translation>乘加次数，批大小 %1</translation>
    </message>
    <message>
        <source>Inputs: %1</source>
        <translation>输入：%1</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>%1 per step, %2</source>
        <translation>每步 %1，%2</translation>
    </message>
    <message>
        <source>Predicted at the peak, %1</source>
        <translation>预测的峰值，%1</translation>
    </message>
</context>
<context>
    <name>strata::ui::LayerList</name>
    <message>
        <source>Group into a block</source>
        <translation>组合为块</translation>
    </message>
    <message>
        <source>Ungroup</source>
        <translation>拆分块</translation>
    </message>
    <message>
        <source>Show its layers</source>
        <translation>显示块中的层</translation>
    </message>
    <message>
        <source>Hide its layers</source>
        <translation>隐藏块中的层</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Add a layer</source>
        <translation>添加层</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>复制一份</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>上移</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>下移</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>删除</translation>
    </message>
</context>
<context>
    <name>strata::ui::LayerPictures</name>
    <message>
        <source>Pictures</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>Filters</source>
        <translation>滤波器</translation>
    </message>
    <message>
        <source>Outputs</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Saliency</source>
        <translation>显著图</translation>
    </message>
    <message>
        <source>Occlusion</source>
        <translation>遮挡</translation>
    </message>
    <message>
        <source>What to show</source>
        <translation>显示内容</translation>
    </message>
    <message>
        <source>Test sample</source>
        <translation>测试样本</translation>
    </message>
    <message>
        <source>Number of the test sample</source>
        <translation>测试样本的编号</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Pictures of the layer</source>
        <translation>该层的图片</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>Pictures are of trained weights. They can be shown after the run.</source>
        <translation>图片来自训练后的权重，运行结束后可以显示。</translation>
    </message>
    <message>
        <source>Select a layer in the table.</source>
        <translation>请在表格中选择一层。</translation>
    </message>
    <message>
        <source>Computing …</source>
        <translation>正在计算…</translation>
    </message>
    <message numerus="yes">
        <source>%n pictures</source>
        <translation>
            <numerusform>%n 张图片</numerusform>
        </translation>
    </message>
    <message>
        <source>each from its smallest value (dark) to its largest (light)</source>
        <translation>每张从最小值（暗）到最大值（亮）</translation>
    </message>
</context>
<context>
    <name>strata::ui::LayerTab</name>
    <message>
        <source>Unique in the network; inputs and weights files refer to the layer by this name</source>
        <translation>在网络中唯一；输入和权重文件以此名称引用该层</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Select a layer to view and edit its fields.</source>
        <translation>选中一层即可查看和编辑它的字段。</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt; %2</source>
        <translation>&lt;b&gt;%1&lt;/b&gt; %2</translation>
    </message>
    <message numerus="yes">
        <source>%n layers are selected; these are the fields of the first one.</source>
        <translation>
            <numerusform>已选中 %n 层；以下是其中第一层的字段。</numerusform>
        </translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Multiply-adds</source>
        <translation>乘加次数</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>About</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>Source: %1</source>
        <translation>来源：%1</translation>
    </message>
    <message>
        <source>Gray values are defaults.</source>
        <translation>灰色的值是默认值。</translation>
    </message>
    <message>
        <source>not known yet</source>
        <translation>尚未得知</translation>
    </message>
    <message>
        <source>Cost at batch size %1</source>
        <translation>批大小 %1 时的开销</translation>
    </message>
    <message>
        <source>unknown, because this layer or an earlier one has a problem</source>
        <translation>未知，因为该层或它之前的某层有问题</translation>
    </message>
    <message>
        <source>%1, of which %2 are trainable</source>
        <translation>%1，其中 %2 个可训练</translation>
    </message>
    <message>
        <source>0 at the peak</source>
        <translation>峰值时为 0</translation>
    </message>
    <message>
        <source>not timed separately</source>
        <translation>未单独计时</translation>
    </message>
    <message>
        <source>live</source>
        <translation>实时</translation>
    </message>
    <message>
        <source>Another layer is already named %1. Choose a different name.</source>
        <translation>名称 %1 已被另一层使用。请换一个名称。</translation>
    </message>
    <message>
        <source>%1 of %2, %3</source>
        <translation>%1 / %2，%3</translation>
    </message>
    <message>
        <source>%1 predicted at the peak</source>
        <translation>峰值时预测 %1</translation>
    </message>
    <message>
        <source>%1 of %2, %3, which was busy</source>
        <translation>%2 中的 %1，%3，当时机器繁忙</translation>
    </message>
</context>
<context>
    <name>strata::ui::LayerTableDelegate</name>
    <message>
        <source>New name of %1</source>
        <translation>%1 的新名称</translation>
    </message>
</context>
<context>
    <name>strata::ui::LayerTime</name>
    <message>
        <source>predicted on %1</source>
        <translation>在 %1 上预测</translation>
    </message>
    <message>
        <source>unknown, because %1 did not have this layer</source>
        <translation>未知，因为%1 中没有这一层</translation>
    </message>
    <message>
        <source>predicted in %1 on %2</source>
        <translation>由%1 在 %2 上预测</translation>
    </message>
    <message>
        <source>measured in %1 on %2</source>
        <translation>由%1 在 %2 上测得</translation>
    </message>
    <message>
        <source>predicted in %1 on %2, before the layer changed</source>
        <translation>由%1 在 %2 上预测，之后该层已改动</translation>
    </message>
    <message>
        <source>measured in %1 on %2, before the layer changed</source>
        <translation>由%1 在 %2 上测得，之后该层已改动</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>Times are not known yet</source>
        <translation>时间尚未得知</translation>
    </message>
    <message>
        <source>Predicted on a busy machine, %1</source>
        <translation>在繁忙的机器上预测，%1</translation>
    </message>
    <message>
        <source>Predicted, %1</source>
        <translation>预测，%1</translation>
    </message>
</context>
<context>
    <name>strata::ui::LayersLens</name>
    <message>
        <source>Layers of the run</source>
        <translation>运行的层</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Weights over the run</source>
        <translation>运行期间的权重</translation>
    </message>
    <message>
        <source>Gradients over the run</source>
        <translation>运行期间的梯度</translation>
    </message>
    <message>
        <source>Outputs over the run</source>
        <translation>运行期间的输出</translation>
    </message>
    <message>
        <source>Update of the weights, log10</source>
        <translation>权重的更新（log10）</translation>
    </message>
    <message>
        <source>Dead units</source>
        <translation>失活单元</translation>
    </message>
    <message>
        <source>The statistics of layers are unknown, because %1.</source>
        <translation>各层的统计未知，因为%1。</translation>
    </message>
    <message>
        <source>The statistics of layers appear after the first samples.</source>
        <translation>首次采样后显示各层的统计。</translation>
    </message>
    <message>
        <source>This run does not sample its layers.</source>
        <translation>此次运行不采样各层。</translation>
    </message>
    <message>
        <source>The statistics of layers are unknown, because this run did not sample them. Train again to see them.</source>
        <translation>各层的统计未知，因为此次运行没有采样。请重新训练以查看。</translation>
    </message>
    <message>
        <source>The batch of step %1 was kept in %2.</source>
        <translation>第 %1 步的批已保存在 %2。</translation>
    </message>
    <message numerus="yes">
        <source>Training samples: %1 and %n more</source>
        <translation>
            <numerusform>训练样本：%1 以及另外 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>Training samples: %1</source>
        <translation>训练样本：%1</translation>
    </message>
    <message>
        <source>Show %1</source>
        <translation>显示 %1</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message numerus="yes">
        <source>%n samples of the batch</source>
        <translation>
            <numerusform>批中的 %n 个样本</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1：%2。</translation>
    </message>
    <message>
        <source>This layer has no such values.</source>
        <translation>此层没有这样的值。</translation>
    </message>
    <message>
        <source>Dashed: −3 is usual.</source>
        <translation>虚线：通常为 −3。</translation>
    </message>
    <message numerus="yes">
        <source>Dashed: all %n units.</source>
        <translation>
            <numerusform>虚线：全部 %n 个单元。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
    <message>
        <source>Sample layers</source>
        <translation>采样各层</translation>
    </message>
    <message>
        <source>Sample now</source>
        <translation>立即采样</translation>
    </message>
    <message>
        <source>Samples the layers at the next step, whatever part of the training time this takes.</source>
        <translation>在下一步采样各层，不论占用多少训练时间。</translation>
    </message>
    <message>
        <source>The sampling of layers is switched off.</source>
        <translation>各层的采样已关闭。</translation>
    </message>
    <message>
        <source>The statistics of layers are unknown, because their sampling was switched off.</source>
        <translation>各层的统计未知，因为采样已关闭。</translation>
    </message>
    <message>
        <source>sampling is off</source>
        <translation>采样已关闭</translation>
    </message>
    <message>
        <source>Switches it on or off from the next step on, and for later runs. Takes at most 3% of the training time after the first sample. The results of the run are the same.</source>
        <translation>从下一步起开启或关闭，并用于以后的运行。首次采样之后最多占用 3% 的训练时间。运行的结果不变。</translation>
    </message>
</context>
<context>
    <name>strata::ui::LineEditor</name>
    <message>
        <source>Reset to the default: %1</source>
        <translation>恢复默认值：%1</translation>
    </message>
</context>
<context>
    <name>strata::ui::ListEditor</name>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Add to %1</source>
        <translation>添加到%1</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>上移</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>下移</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>strata::ui::MainWindow</name>
    <message>
        <source>Group the selected layers into a block</source>
        <translation>将所选层组合为块</translation>
    </message>
    <message>
        <source>Ungroup the block</source>
        <translation>拆分该块</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Design</source>
        <translation>设计</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>恢复运行</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>%1[*] - Strata</source>
        <translation>%1[*] - Strata</translation>
    </message>
    <message>
        <source>Strata</source>
        <translation>Strata</translation>
    </message>
    <message>
        <source>New run</source>
        <translation>新运行</translation>
    </message>
    <message>
        <source>Start a new run of the open design from the weights of %1</source>
        <translation>按当前打开的设计，从%1 的权重开始新的运行</translation>
    </message>
    <message>
        <source>Layers that keep their weights: %1</source>
        <translation>保留权重的层：%1</translation>
    </message>
    <message>
        <source>Layers that start from initial weights: %1</source>
        <translation>重新初始化的层：%1</translation>
    </message>
    <message>
        <source>Start a new run from initial weights (F5)</source>
        <translation>从初始权重开始新的运行 (F5)</translation>
    </message>
    <message>
        <source>The network cannot be trained yet:</source>
        <translation>网络还不能训练：</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>The value of %1 is invalid. Correct it, or press Escape in the field to discard it.</source>
        <translation>%1 的值无效。请更正，或在该字段中按 Esc 放弃修改。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>另存为</translation>
    </message>
    <message>
        <source>Export weights</source>
        <translation>导出权重</translation>
    </message>
    <message>
        <source>Close the project</source>
        <translation>关闭项目</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>About Strata</source>
        <translation>关于 Strata</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>Undo: %1</source>
        <translation>撤销：%1</translation>
    </message>
    <message>
        <source>Redo: %1</source>
        <translation>重做：%1</translation>
    </message>
    <message>
        <source>Add a layer</source>
        <translation>添加层</translation>
    </message>
    <message>
        <source>Remove the selected layers</source>
        <translation>删除所选层</translation>
    </message>
    <message>
        <source>Duplicate the selected layers</source>
        <translation>复制所选层</translation>
    </message>
    <message>
        <source>Rename the layer</source>
        <translation>重命名该层</translation>
    </message>
    <message>
        <source>Move the selected layers up</source>
        <translation>上移所选层</translation>
    </message>
    <message>
        <source>Move the selected layers down</source>
        <translation>下移所选层</translation>
    </message>
    <message>
        <source>Show Data</source>
        <translation>显示“数据”</translation>
    </message>
    <message>
        <source>Show Design</source>
        <translation>显示“设计”</translation>
    </message>
    <message>
        <source>Show Train</source>
        <translation>显示“训练”</translation>
    </message>
    <message>
        <source>Show Results</source>
        <translation>显示“结果”</translation>
    </message>
    <message>
        <source>System theme</source>
        <translation>跟随系统主题</translation>
    </message>
    <message>
        <source>Light theme</source>
        <translation>浅色主题</translation>
    </message>
    <message>
        <source>Dark theme</source>
        <translation>深色主题</translation>
    </message>
    <message>
        <source>Collapse or expand the left pane</source>
        <translation>折叠或展开左侧面板</translation>
    </message>
    <message>
        <source>Collapse or expand the inspector</source>
        <translation>折叠或展开检查器</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Next problem</source>
        <translation>下一个问题</translation>
    </message>
    <message>
        <source>Next pane</source>
        <translation>下一个面板</translation>
    </message>
    <message>
        <source>Find a command</source>
        <translation>查找命令</translation>
    </message>
    <message>
        <source>Reset the layout</source>
        <translation>重置布局</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>New run from the last weights</source>
        <translation>从上次的权重开始新运行</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>单步</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>Open recent</source>
        <translation>打开最近的项目</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>%1  (%2)</source>
        <translation>%1  (%2)</translation>
    </message>
    <message>
        <source>Clear the list</source>
        <translation>清空列表</translation>
    </message>
    <message>
        <source>System language</source>
        <translation>跟随系统语言</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言 (Language)</translation>
    </message>
    <message>
        <source>Show the design as a list</source>
        <translation>以列表形式显示设计</translation>
    </message>
    <message>
        <source>Show the compiled design</source>
        <translation>显示编译后的设计</translation>
    </message>
    <message>
        <source>Memory of a training step</source>
        <translation>训练步的内存</translation>
    </message>
    <message>
        <source>The split has changed: the network may have been trained on samples that are now test samples.</source>
        <translation>数据划分已改变：现在的测试样本可能已用于训练该网络。</translation>
    </message>
    <message>
        <source>Continue %1 beyond its planned end</source>
        <translation>在原计划结束之后继续%1</translation>
    </message>
    <message>
        <source>Continue %1 where it stopped</source>
        <translation>从停止的位置继续%1</translation>
    </message>
    <message>
        <source>%1
The run used other settings than the project has now.
%2</source>
        <translation>%1
该运行所用的设置与项目当前的设置不同。
%2</translation>
    </message>
    <message>
        <source>New run, starting from %1&apos;s weights</source>
        <translation>新运行，从%1 的权重开始</translation>
    </message>
    <message numerus="yes">
        <source>New run, starting from %1&apos;s weights (%2 of %3 layer(s))</source>
        <translation>
            <numerusform>新运行，从%1 的权重开始（%3 层中的 %2 层）</numerusform>
        </translation>
    </message>
    <message>
        <source>New run from %1</source>
        <translation>从%1 开始新运行</translation>
    </message>
    <message>
        <source>New project</source>
        <translation>新建项目</translation>
    </message>
    <message>
        <source>Train in several processes</source>
        <translation>用多个进程训练</translation>
    </message>
    <message>
        <source>Open a recording</source>
        <translation>打开记录</translation>
    </message>
    <message>
        <source>Continue from a checkpoint</source>
        <translation>从检查点继续</translation>
    </message>
    <message>
        <source>This window shows a recording, which cannot be trained. Open the project to train it.</source>
        <translation>此窗口显示的是记录，不能训练。请打开项目进行训练。</translation>
    </message>
    <message>
        <source>Recording: %1</source>
        <translation>记录：%1</translation>
    </message>
    <message>
        <source>Train later</source>
        <translation>稍后训练</translation>
    </message>
    <message>
        <source>Queue a run of the present design, which starts when the active run has ended</source>
        <translation>将当前设计的一次运行排队，在正在进行的运行结束后开始</translation>
    </message>
</context>
<context>
    <name>strata::ui::MatrixView</name>
    <message>
        <source>Confusion matrix: rows are true classes, columns are predicted classes</source>
        <translation>混淆矩阵：行表示真实类别，列表示预测类别</translation>
    </message>
    <message>
        <source>Rows: true class. Columns: predicted class. Click a cell to see its samples. Zoom with Ctrl and the wheel.</source>
        <translation>行：真实类别。列：预测类别。单击单元格可查看其样本。用 Ctrl 和滚轮缩放。</translation>
    </message>
    <message>
        <source>Rows: true class. Columns: predicted class. Click a cell to see its samples.</source>
        <translation>行：真实类别。列：预测类别。点击单元格查看对应的样本。</translation>
    </message>
</context>
<context>
    <name>strata::ui::MemoryCard</name>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>%1 memory</source>
        <translation>%1 内存</translation>
    </message>
    <message>
        <source>Largest at peak: &lt;b&gt;%1&lt;/b&gt;, %2</source>
        <translation>峰值时占用最多：&lt;b&gt;%1&lt;/b&gt;，%2</translation>
    </message>
    <message>
        <source>predicted %1</source>
        <translation>预测 %1</translation>
    </message>
    <message>
        <source>%1, %2, limit %3</source>
        <translation>%1，%2，上限 %3</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>The breakdown is unknown, because this run did not save its memory plan.</source>
        <translation>明细未知，因为该运行没有保存内存规划。</translation>
    </message>
    <message>
        <source>Samples on the card</source>
        <translation>显卡上的样本</translation>
    </message>
    <message>
        <source>Context and libraries (estimate)</source>
        <translation>上下文和库（估计值）</translation>
    </message>
    <message>
        <source>Context and libraries</source>
        <translation>上下文和库</translation>
    </message>
    <message>
        <source>Alignment</source>
        <translation>对齐与空洞</translation>
    </message>
</context>
<context>
    <name>strata::ui::MemoryLens</name>
    <message>
        <source>Memory of the run</source>
        <translation>运行的内存</translation>
    </message>
    <message>
        <source>Show other processes and the whole memory</source>
        <translation>显示其他进程和全部内存</translation>
    </message>
    <message>
        <source>Live at the peak</source>
        <translation>峰值时占用</translation>
    </message>
    <message>
        <source>Memory of a step, %1, batch size %2: peak %3, of which %4 are alignment and holes</source>
        <translation>一个步的内存，%1，批大小 %2：峰值 %3，其中 %4 为对齐与空洞</translation>
    </message>
    <message>
        <source>Memory of a step</source>
        <translation>一个步的内存</translation>
    </message>
    <message>
        <source>The memory of a step appears when a run begins.</source>
        <translation>运行开始时显示一个步的内存。</translation>
    </message>
    <message>
        <source>The memory of a step is unknown, because this run did not record it, or its file memory.json is missing or damaged. Train again to see it.</source>
        <translation>一个步的内存未知，因为此次运行没有记录它，或其文件 memory.json 缺失或损坏。请重新训练以查看。</translation>
    </message>
    <message>
        <source>no layer</source>
        <translation>无层</translation>
    </message>
    <message>
        <source>a kernel</source>
        <translation>一个内核</translation>
    </message>
    <message>
        <source>%1 %2 %3</source>
        <translation>%1 %2 %3</translation>
    </message>
    <message>
        <source>%1: predicted peak %2</source>
        <translation>%1：预测峰值 %2</translation>
    </message>
    <message>
        <source>%1, %2 per sample</source>
        <translation>%1，每样本 %2</translation>
    </message>
    <message>
        <source>At the predicted peak, %1 has the most memory: %2 of %3 (%4).</source>
        <translation>在预测的峰值处，%1 占用的内存最多：%3 的%2（%4）。</translation>
    </message>
    <message>
        <source>Live at the predicted peak: %1.</source>
        <translation>预测的峰值处占用内存的有：%1。</translation>
    </message>
    <message>
        <source>The design has changed since. %1</source>
        <translation>此后设计已更改。%1</translation>
    </message>
</context>
<context>
    <name>strata::ui::MemoryPanel</name>
    <message>
        <source>Memory of a training step</source>
        <translation>训练步的内存</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>Lower bound</source>
        <translation>下限</translation>
    </message>
    <message>
        <source>Largest batch that fits</source>
        <translation>可容纳的最大批大小</translation>
    </message>
    <message>
        <source>Memory is %1.</source>
        <translation>内存%1。</translation>
    </message>
    <message>
        <source>Batch size %1, recomputing some values</source>
        <translation>批大小 %1，重计算部分值</translation>
    </message>
    <message>
        <source>Batch size %1</source>
        <translation>批大小 %1</translation>
    </message>
    <message>
        <source>Batches split into %1 micro-batches</source>
        <translation>每批拆分为 %1 个微批次</translation>
    </message>
    <message>
        <source>%1, %2 per step</source>
        <translation>%1，每步 %2</translation>
    </message>
    <message>
        <source>Use this</source>
        <translation>采用</translation>
    </message>
    <message>
        <source>Use this: %1, %2</source>
        <translation>采用：%1，%2</translation>
    </message>
    <message>
        <source>+%1</source>
        <translation>+%1</translation>
    </message>
    <message>
        <source>Use this limit</source>
        <translation>采用此上限</translation>
    </message>
    <message>
        <source>Use this limit: %1, time %2</source>
        <translation>采用此上限：%1，时间 %2</translation>
    </message>
    <message>
        <source>Remove the memory limit</source>
        <translation>取消内存上限</translation>
    </message>
    <message>
        <source>Memory limit</source>
        <translation>内存上限</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活值</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Temporary</source>
        <translation>临时数据</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>Communication</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>Update weights as soon as their gradients are ready</source>
        <translation>梯度就绪后立即更新权重</translation>
    </message>
    <message numerus="yes">
        <source>Recompute %1 operation(s)</source>
        <translation>
            <numerusform>重计算 %1 个算子</numerusform>
        </translation>
    </message>
    <message>
        <source>at least %1</source>
        <translation>至少 %1</translation>
    </message>
    <message>
        <source>Batches split into %1 micro-batches, recomputing some values</source>
        <translation>每批拆分为 %1 个微批次，重计算部分值</translation>
    </message>
    <message>
        <source>No option fits; batch size 1 needs</source>
        <translation>没有可容纳的方案；批大小为 1 时需要</translation>
    </message>
    <message>
        <source>Memory of the simulated card</source>
        <translation>模拟显卡的显存</translation>
    </message>
    <message>
        <source>Transfers of inputs and results</source>
        <translation>输入和结果的传输</translation>
    </message>
    <message>
        <source>Samples on the card, if they fit</source>
        <translation>显卡上的样本（如果放得下）</translation>
    </message>
    <message>
        <source>Context and libraries (estimate)</source>
        <translation>上下文和库（估计值）</translation>
    </message>
    <message>
        <source>Context and libraries</source>
        <translation>上下文和库</translation>
    </message>
    <message>
        <source>Memory of the card</source>
        <translation>显卡的显存</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>Data set</source>
        <translation>数据集</translation>
    </message>
    <message>
        <source>Project limit for the network</source>
        <translation>项目为网络设置的上限</translation>
    </message>
    <message>
        <source>Available for the network</source>
        <translation>网络可用</translation>
    </message>
    <message>
        <source>Memory of this machine</source>
        <translation>这台机器的内存</translation>
    </message>
    <message>
        <source>Predicted at the peak of a training step</source>
        <translation>训练步的内存峰值（预测）</translation>
    </message>
    <message>
        <source>Predicted during a run</source>
        <translation>运行期间的预测</translation>
    </message>
    <message>
        <source>Options that fit, predicted</source>
        <translation>可行的方案（预测）</translation>
    </message>
    <message>
        <source>Less memory, more time, predicted</source>
        <translation>减少内存，增加时间（预测）</translation>
    </message>
</context>
<context>
    <name>strata::ui::MemoryTimePlot</name>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>predicted %1</source>
        <translation>预测 %1</translation>
    </message>
    <message>
        <source>limit %1</source>
        <translation>上限 %1</translation>
    </message>
    <message>
        <source>memory of the device %1</source>
        <translation>设备内存 %1</translation>
    </message>
    <message>
        <source>After %1</source>
        <translation>%1 之后</translation>
    </message>
    <message>
        <source>This process: %1</source>
        <translation>本进程：%1</translation>
    </message>
    <message>
        <source>Other processes: %1</source>
        <translation>其他进程：%1</translation>
    </message>
    <message>
        <source>Alignment and holes</source>
        <translation>对齐与空洞</translation>
    </message>
    <message>
        <source>Samples and transfers</source>
        <translation>样本与传输</translation>
    </message>
    <message>
        <source>Program and libraries</source>
        <translation>程序与库</translation>
    </message>
    <message>
        <source>Other processes</source>
        <translation>其他进程</translation>
    </message>
    <message>
        <source>Memory over time, %1</source>
        <translation>内存随时间的变化，%1</translation>
    </message>
    <message>
        <source>Training time</source>
        <translation>训练时间</translation>
    </message>
</context>
<context>
    <name>strata::ui::MetricPlot</name>
    <message>
        <source>No steps yet</source>
        <translation>尚无训练步</translation>
    </message>
    <message>
        <source>Whole run</source>
        <translation>整个运行</translation>
    </message>
    <message>
        <source>%1: show the whole run</source>
        <translation>%1：显示整个运行</translation>
    </message>
    <message>
        <source>%1: options for scale, smoothing and saving</source>
        <translation>%1：坐标、平滑和保存选项</translation>
    </message>
    <message>
        <source>Scroll to zoom, drag to zoom into a range, Shift+drag to move, double-click to show the whole run.</source>
        <translation>滚动滚轮缩放，拖动选择并放大范围，按住 Shift 拖动平移，双击显示整个运行。</translation>
    </message>
    <message>
        <source>training %1</source>
        <translation>训练 %1</translation>
    </message>
    <message>
        <source>validation %1</source>
        <translation>验证 %1</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>Step %1, epoch %2</source>
        <translation>第 %1 步，第 %2 轮</translation>
    </message>
    <message>
        <source>Training: %1</source>
        <translation>训练：%1</translation>
    </message>
    <message>
        <source>Smoothed: %1</source>
        <translation>平滑：%1</translation>
    </message>
    <message>
        <source>Validation: %1 (step %2)</source>
        <translation>验证：%1（第 %2 步）</translation>
    </message>
    <message>
        <source>Logarithmic scale</source>
        <translation>对数坐标</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>平滑</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>validation of averaged weights %1</source>
        <translation>平均权重的验证 %1</translation>
    </message>
    <message>
        <source>After %1</source>
        <translation>%1 之后</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Outside: %1 to %2</source>
        <translation>范围外：%1 至 %2</translation>
    </message>
    <message>
        <source>Outside: up to %1</source>
        <translation>范围外：最高 %1</translation>
    </message>
    <message>
        <source>Outside: down to %1</source>
        <translation>范围外：最低 %1</translation>
    </message>
    <message>
        <source>Leave out outliers</source>
        <translation>忽略离群值</translation>
    </message>
    <message>
        <source>The largest and the smallest 5% of the values of a curve do not decide the range of the axis.</source>
        <translation>曲线中最大和最小的 5% 的值不决定坐标轴的范围。</translation>
    </message>
    <message>
        <source>%1 samples/s</source>
        <translation>%1 样本/秒</translation>
    </message>
    <message>
        <source>predicted %1</source>
        <translation>预测 %1</translation>
    </message>
</context>
<context>
    <name>strata::ui::MistakesCard</name>
    <message>
        <source>Mistakes</source>
        <translation>错误样本</translation>
    </message>
    <message>
        <source>Predicted class</source>
        <translation>预测类别</translation>
    </message>
    <message>
        <source>True class</source>
        <translation>真实类别</translation>
    </message>
    <message>
        <source>All mistakes</source>
        <translation>全部错误样本</translation>
    </message>
    <message>
        <source>Show all mistakes</source>
        <translation>显示全部错误样本</translation>
    </message>
    <message>
        <source>Misclassified samples</source>
        <translation>分类错误的样本</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %2 sample(s)</source>
        <translation>
            <numerusform>%2 个样本中的 %1 个</numerusform>
        </translation>
    </message>
    <message>
        <source>This network predicts numbers, not classes, so there are no mistakes to list.</source>
        <translation>该网络预测的是数值而不是类别，因此没有可列出的错误样本。</translation>
    </message>
    <message>
        <source>%1 → %2</source>
        <translation>%1 → %2</translation>
    </message>
    <message>
        <source>Sample %1: %2, predicted as %3 with probability %4</source>
        <translation>样本 %1：%2，预测为 %3，概率 %4</translation>
    </message>
    <message>
        <source>There are no samples in this cell.</source>
        <translation>该单元格中没有样本。</translation>
    </message>
    <message>
        <source>There are no mistakes.</source>
        <translation>没有错误样本。</translation>
    </message>
    <message>
        <source>The first %1 of %2, most confident first (true → predicted)</source>
        <translation>共 %2 个，显示前 %1 个，按置信度从高到低排列（真实 → 预测）</translation>
    </message>
    <message>
        <source>Most confident first (true → predicted)</source>
        <translation>按置信度从高到低排列（真实 → 预测）</translation>
    </message>
    <message>
        <source>True class %1, predicted %2. %3</source>
        <translation>真实类别 %1，预测为 %2。%3</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Smaller cells</source>
        <translation>缩小单元格</translation>
    </message>
    <message>
        <source>Larger cells</source>
        <translation>放大单元格</translation>
    </message>
    <message>
        <source>Confusion matrix</source>
        <translation>混淆矩阵</translation>
    </message>
    <message>
        <source>Double-click a sample to see what matters in it.</source>
        <translation>双击样本可查看其中的关键之处。</translation>
    </message>
    <message>
        <source>Which samples are listed</source>
        <translation>列出哪些样本</translation>
    </message>
    <message>
        <source>Correct</source>
        <translation>正确</translation>
    </message>
    <message>
        <source>True class of the listed samples</source>
        <translation>所列样本的真实类别</translation>
    </message>
    <message>
        <source>All classes</source>
        <translation>所有类别</translation>
    </message>
    <message>
        <source>Order of the listed samples</source>
        <translation>所列样本的顺序</translation>
    </message>
    <message>
        <source>Most confident</source>
        <translation>置信度最高</translation>
    </message>
    <message>
        <source>Least confident</source>
        <translation>置信度最低</translation>
    </message>
    <message>
        <source>There are no correct predictions.</source>
        <translation>没有正确的预测。</translation>
    </message>
    <message>
        <source>Least confident first (true → predicted)</source>
        <translation>按置信度从低到高排列（真实 → 预测）</translation>
    </message>
    <message>
        <source>The first %1 of %2, least confident first (true → predicted)</source>
        <translation>%2 个中的前 %1 个，按置信度从低到高排列（真实 → 预测）</translation>
    </message>
    <message>
        <source>Correctly classified samples</source>
        <translation>正确分类的样本</translation>
    </message>
</context>
<context>
    <name>strata::ui::NetworkList</name>
    <message>
        <source>Network: %1</source>
        <translation>网络：%1</translation>
    </message>
    <message>
        <source>Layers of the network</source>
        <translation>网络的各层</translation>
    </message>
</context>
<context>
    <name>strata::ui::NodeItemModel</name>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>update</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>new</source>
        <translation>新增</translation>
    </message>
    <message>
        <source>changed</source>
        <translation>已改变</translation>
    </message>
    <message>
        <source>moved</source>
        <translation>已移动</translation>
    </message>
    <message>
        <source>removed</source>
        <translation>已移除</translation>
    </message>
    <message>
        <source>%1, node %2</source>
        <translation>%1，节点 %2</translation>
    </message>
    <message>
        <source>%1 of %2, node %3</source>
        <translation>%2 的 %1，节点 %3</translation>
    </message>
    <message>
        <source>Op</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Phase</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>变化</translation>
    </message>
    <message>
        <source>%1
Predicted with the cost model of the op, for comparing nodes</source>
        <translation>%1
由算子的成本模型预测，用于比较节点</translation>
    </message>
    <message>
        <source>Predicted time</source>
        <translation>预测时间</translation>
    </message>
</context>
<context>
    <name>strata::ui::NotesForm</name>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>Words, separated by commas</source>
        <translation>用逗号分隔的词</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Archived</source>
        <translation>已归档</translation>
    </message>
    <message>
        <source>Hides the run from lists.</source>
        <translation>在列表中隐藏此运行。</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Clean up never proposes this run.</source>
        <translation>清理时从不建议删除此运行。</translation>
    </message>
</context>
<context>
    <name>strata::ui::OutputsForm</name>
    <message>
        <source>Loss to minimize</source>
        <translation>要最小化的损失</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Weight of this loss in the total loss</source>
        <translation>此损失在总损失中的权重</translation>
    </message>
    <message>
        <source>Weight</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Measured in addition to the loss; not used for training</source>
        <translation>除损失外另外计算，不用于训练</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Output %1</source>
        <translation>输出 %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%2 的%1</translation>
    </message>
    <message>
        <source>Metrics that weight each sample by its weight in the data</source>
        <translation>按数据中的样本权重加权计算的指标</translation>
    </message>
    <message>
        <source>Weighted metrics</source>
        <translation>加权指标</translation>
    </message>
</context>
<context>
    <name>strata::ui::OverviewLens</name>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>准确率</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>每步时间</translation>
    </message>
    <message>
        <source>by layer</source>
        <translation>按层</translation>
    </message>
    <message>
        <source>by op</source>
        <translation>按算子</translation>
    </message>
    <message>
        <source>Step time by layer or op</source>
        <translation>按层或按算子的每步时间</translation>
    </message>
    <message>
        <source>Stop profiling</source>
        <translation>停止性能分析</translation>
    </message>
    <message>
        <source>Measures the time of every node. The overhead is shown next to this button.</source>
        <translation>测量每个节点的时间。额外开销显示在此按钮旁边。</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>性能分析</translation>
    </message>
    <message>
        <source>Times appear after the first steps.</source>
        <translation>完成最初几步后会显示时间。</translation>
    </message>
    <message>
        <source>Step times are unknown, because the run failed before any were measured.</source>
        <translation>每步时间未知，因为运行在测得时间之前就失败了。</translation>
    </message>
    <message>
        <source>Step times are unknown, because this run did not save them.</source>
        <translation>每步时间未知，因为该运行没有保存这些时间。</translation>
    </message>
    <message>
        <source>&lt;b style=&apos;font-size:15pt&apos;&gt;%1&lt;/b&gt; samples/s</source>
        <translation>&lt;b style=&apos;font-size:15pt&apos;&gt;%1&lt;/b&gt; 样本/秒</translation>
    </message>
    <message>
        <source>&lt;b style=&apos;font-size:15pt&apos;&gt;%1&lt;/b&gt; samples/s&lt;br&gt;simulation speed</source>
        <translation>&lt;b style=&apos;font-size:15pt&apos;&gt;%1&lt;/b&gt; 样本/秒&lt;br&gt;模拟速度</translation>
    </message>
    <message>
        <source>%1 · %2, %3</source>
        <translation>%1 · %2，%3</translation>
    </message>
    <message>
        <source>A recording cannot be profiled</source>
        <translation>记录不能进行性能分析</translation>
    </message>
    <message>
        <source>%1, communication %2</source>
        <translation>%1，通信 %2</translation>
    </message>
    <message>
        <source>Mean of the profiled steps of the run so far.</source>
        <translation>该运行迄今已分析的各步的平均值。</translation>
    </message>
    <message>
        <source>While the run trains: its speed in the last second. Afterwards: that of the mean step.</source>
        <translation>训练期间：最近一秒的速度。结束后：平均每步的速度。</translation>
    </message>
    <message>
        <source>forward %1, backward %2, update %3</source>
        <translation>前向 %1，反向 %2，更新 %3</translation>
    </message>
    <message>
        <source>waiting for data %1, %2</source>
        <translation>等待数据 %1，%2</translation>
    </message>
    <message>
        <source>%1, other %2</source>
        <translation>%1，其他 %2</translation>
    </message>
    <message>
        <source>%1 predicted · %2, %3</source>
        <translation>%1（预测）· %2，%3</translation>
    </message>
</context>
<context>
    <name>strata::ui::Palette</name>
    <message>
        <source>Input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Dense</source>
        <translation>全连接</translation>
    </message>
    <message>
        <source>Convolution</source>
        <translation>卷积</translation>
    </message>
    <message>
        <source>Pooling</source>
        <translation>池化</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Regularization</source>
        <translation>正则化</translation>
    </message>
    <message>
        <source>Normalization</source>
        <translation>归一化</translation>
    </message>
    <message>
        <source>Activation</source>
        <translation>激活函数</translation>
    </message>
    <message>
        <source>Merge</source>
        <translation>合并</translation>
    </message>
    <message>
        <source>Preprocessing</source>
        <translation>预处理</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>Embedding</source>
        <translation>嵌入</translation>
    </message>
    <message>
        <source>Find a layer (/)</source>
        <translation>查找层 (/)</translation>
    </message>
    <message>
        <source>Find a layer</source>
        <translation>查找层</translation>
    </message>
    <message>
        <source>Layers to add</source>
        <translation>可添加的层</translation>
    </message>
    <message>
        <source>No matching layer</source>
        <translation>没有匹配的层</translation>
    </message>
    <message>
        <source>Structure</source>
        <translation>结构</translation>
    </message>
    <message>
        <source>Augmentation</source>
        <translation>数据增强</translation>
    </message>
    <message>
        <source>Recurrent</source>
        <translation>循环</translation>
    </message>
</context>
<context>
    <name>strata::ui::ParallelPlot</name>
    <message>
        <source>Settings and results of the runs</source>
        <translation>各次运行的设置和结果</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>strata::ui::PassItemModel</name>
    <message>
        <source>%1 → %2</source>
        <translation>%1 → %2</translation>
    </message>
    <message>
        <source>Disabled: the graph is unchanged.</source>
        <translation>已禁用：图没有变化。</translation>
    </message>
    <message>
        <source>The pass failed and was skipped: the graph is unchanged. %1</source>
        <translation>该优化遍执行失败，已被跳过：图没有变化。%1</translation>
    </message>
    <message>
        <source>The pass found nothing to rewrite. %1</source>
        <translation>该优化遍没有找到可改写的内容。%1</translation>
    </message>
    <message>
        <source>%1 new</source>
        <translation>新增 %1</translation>
    </message>
    <message>
        <source>%1 changed</source>
        <translation>改变 %1</translation>
    </message>
    <message>
        <source>%1 moved</source>
        <translation>移动 %1</translation>
    </message>
    <message>
        <source>%1 removed</source>
        <translation>移除 %1</translation>
    </message>
    <message>
        <source>Rewrites: %1.</source>
        <translation>改写：%1。</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 %2 Compared with the previous pass: %3.</source>
        <translation>%1%2与上一个优化遍相比：%3。</translation>
    </message>
    <message>
        <source>initial graph</source>
        <translation>初始图</translation>
    </message>
    <message>
        <source>disabled</source>
        <translation>已禁用</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>已跳过</translation>
    </message>
    <message>
        <source>The forward, backward and update ops before any pass</source>
        <translation>执行任何优化遍之前的前向、反向和更新算子</translation>
    </message>
    <message>
        <source>%1, rewrites %2, nodes %3</source>
        <translation>%1，改写 %2，节点 %3</translation>
    </message>
    <message>
        <source>Pass</source>
        <translation>优化遍</translation>
    </message>
    <message>
        <source>Rewrites</source>
        <translation>改写</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Nodes: %1. Predicted: peak memory %2, data moved %3, time %4.</source>
        <translation>节点：%1。预测：峰值内存 %2，数据搬移量 %3，时间 %4。</translation>
    </message>
</context>
<context>
    <name>strata::ui::PathEditor</name>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>Browse for %1</source>
        <translation>浏览并选择%1</translation>
    </message>
</context>
<context>
    <name>strata::ui::PlotMenu</name>
    <message>
        <source>Not saved</source>
        <translation>未保存</translation>
    </message>
    <message>
        <source>%1 was not saved: %2</source>
        <translation>%1 未保存：%2</translation>
    </message>
    <message>
        <source>Save the values</source>
        <translation>保存数值</translation>
    </message>
    <message>
        <source>Save the plot</source>
        <translation>保存图表</translation>
    </message>
    <message>
        <source>Copy image</source>
        <translation>复制图像</translation>
    </message>
    <message>
        <source>Save as PNG…</source>
        <translation>另存为 PNG…</translation>
    </message>
    <message>
        <source>PNG image (*.png)</source>
        <translation>PNG 图像 (*.png)</translation>
    </message>
    <message>
        <source>Save as SVG…</source>
        <translation>另存为 SVG…</translation>
    </message>
    <message>
        <source>SVG image (*.svg)</source>
        <translation>SVG 图像 (*.svg)</translation>
    </message>
    <message>
        <source>Save as PDF…</source>
        <translation>另存为 PDF…</translation>
    </message>
    <message>
        <source>PDF document (*.pdf)</source>
        <translation>PDF 文档 (*.pdf)</translation>
    </message>
    <message>
        <source>Save as CSV…</source>
        <translation>另存为 CSV…</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>表格 (*.csv)</translation>
    </message>
    <message>
        <source>Save as JSON…</source>
        <translation>另存为 JSON…</translation>
    </message>
    <message>
        <source>JSON file (*.json)</source>
        <translation>JSON 文件 (*.json)</translation>
    </message>
</context>
<context>
    <name>strata::ui::ProblemList</name>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>No problems: the network can be trained.</source>
        <translation>没有问题：网络可以训练。</translation>
    </message>
    <message>
        <source>No project is open.</source>
        <translation>没有打开的项目。</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Hint</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>Show %1</source>
        <translation>显示 %1</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>还有 %n 处</numerusform>
        </translation>
    </message>
    <message>
        <source>Choose inputs</source>
        <translation>选择输入</translation>
    </message>
    <message>
        <source>Choose inputs of %1</source>
        <translation>选择 %1 的输入</translation>
    </message>
    <message>
        <source>Checking the project…</source>
        <translation>正在检查项目…</translation>
    </message>
    <message>
        <source>The field %1 has an invalid value: %2</source>
        <translation>字段 %1 的值无效：%2</translation>
    </message>
    <message>
        <source>The network does not fit in memory: it needs %1, the limit is %2. Click the memory in the top row for options.</source>
        <translation>网络超出内存：需要 %1，上限为 %2。点击顶栏中的内存查看可行的方案。</translation>
    </message>
</context>
<context>
    <name>strata::ui::QueueButton</name>
    <message numerus="yes">
        <source>%n run(s) waiting</source>
        <translation>
            <numerusform>%n 次运行在等待</numerusform>
        </translation>
    </message>
    <message>
        <source>The next one starts when the active run ends.</source>
        <translation>正在进行的运行结束后，下一次自动开始。</translation>
    </message>
    <message>
        <source>%1. %2: %3</source>
        <translation>%1. %2：%3</translation>
    </message>
    <message>
        <source>Train next</source>
        <translation>下一个训练</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Remove all</source>
        <translation>全部移除</translation>
    </message>
</context>
<context>
    <name>strata::ui::Recovery</name>
    <message>
        <source>Restored the unsaved changes of %1</source>
        <translation>已恢复 %1 的未保存更改</translation>
    </message>
</context>
<context>
    <name>strata::ui::ReplayBar</name>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Time of the recording</source>
        <translation>记录的时间</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1×</source>
        <translation>%1×</translation>
    </message>
    <message>
        <source>Speed of the recording</source>
        <translation>记录的速度</translation>
    </message>
    <message>
        <source>How many seconds of training pass in a second</source>
        <translation>每秒播放多少秒的训练</translation>
    </message>
</context>
<context>
    <name>strata::ui::ReportWriter</name>
    <message>
        <source>%1 saved.</source>
        <translation>已保存 %1。</translation>
    </message>
</context>
<context>
    <name>strata::ui::RestoredNotice</name>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>Restored the unsaved changes of %1 from %2.</source>
        <translation>已恢复 %1 于 %2 的未保存更改。</translation>
    </message>
    <message>
        <source>This project has never been saved.</source>
        <translation>该项目从未保存过。</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Show %1</source>
        <translation>显示 %1</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>Discard the restored changes of %1</source>
        <translation>放弃 %1 中已恢复的更改</translation>
    </message>
    <message>
        <source>Keep the changes and hide this line</source>
        <translation>保留更改并隐藏此行</translation>
    </message>
    <message numerus="yes">
        <source>Restored the unsaved changes of %1 from %2. %n other project(s) follow.</source>
        <translation>
            <numerusform>已恢复 %1 于 %2 的未保存更改。之后还有 %n 个项目。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::ResultsPage</name>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>RUNS</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Runs of this project</source>
        <translation>该项目的运行</translation>
    </message>
    <message>
        <source>Runs of this project appear here with their accuracy, time, memory and mistakes. You can also try the network on a drawing pad.</source>
        <translation>该项目的运行会显示在这里，包括准确率、时间、内存和错误样本。您还可以在绘图板上试用网络。</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，用时 %2</translation>
    </message>
    <message>
        <source>Views of the runs</source>
        <translation>运行的视图</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>All runs</source>
        <translation>所有运行</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Restores the runs.</source>
        <translation>恢复这些运行。</translation>
    </message>
    <message>
        <source>%1 is in the trash.</source>
        <translation>%1 已移入回收站。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) are in the trash.</source>
        <translation>
            <numerusform>%Ln 次运行已移入回收站。</numerusform>
        </translation>
    </message>
    <message>
        <source>The project of this run cannot be read, so it cannot be cloned.</source>
        <translation>无法读取此运行的项目，因此无法克隆。</translation>
    </message>
    <message>
        <source>The project of %1 cannot be read, so it cannot be trained again.</source>
        <translation>%1的项目无法读取，因此不能再次训练。</translation>
    </message>
    <message>
        <source>%1, %2. Its curves, memory and times are on Train. To evaluate its network, open the project in which it was trained.</source>
        <translation>%1，%2。它的曲线、内存和时间在“训练”页。要评估它的网络，请打开训练它的项目。</translation>
    </message>
    <message>
        <source>Show on Train</source>
        <translation>在“训练”页显示</translation>
    </message>
</context>
<context>
    <name>strata::ui::RooflinePlot</name>
    <message>
        <source>Roofline</source>
        <translation>屋顶线</translation>
    </message>
    <message>
        <source>FLOP per byte</source>
        <translation>每字节 FLOP</translation>
    </message>
    <message>
        <source>Arithmetic per second</source>
        <translation>每秒运算量</translation>
    </message>
    <message>
        <source>Limits: %1, and %2/s of memory (%3).</source>
        <translation>上限：%1，内存 %2/s（%3）。</translation>
    </message>
    <message>
        <source>%1 GFLOP/s</source>
        <translation>%1 GFLOP/s</translation>
    </message>
    <message>
        <source>The limits of the device are unknown, because %1.</source>
        <translation>设备的上限未知，因为%1。</translation>
    </message>
    <message>
        <source>%1 GFLOP/s, %2 FLOP per byte, %3 of the time</source>
        <translation>%1 GFLOP/s，每字节 %2 FLOP，占时间的 %3</translation>
    </message>
    <message>
        <source>%1 of what memory allows</source>
        <translation>内存所允许的 %1</translation>
    </message>
    <message>
        <source>%1 of what arithmetic allows</source>
        <translation>运算所允许的 %1</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
</context>
<context>
    <name>strata::ui::RunCard</name>
    <message>
        <source>Continue (step %1)</source>
        <translation>继续（第 %1 步）</translation>
    </message>
    <message numerus="yes">
        <source>Train %Ln more epoch(s)</source>
        <translation>
            <numerusform>再训练 %Ln 轮</numerusform>
        </translation>
    </message>
    <message>
        <source>Export weights</source>
        <translation>导出权重</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Save report as HTML…</source>
        <translation>将报告另存为 HTML…</translation>
    </message>
    <message>
        <source>Save report as PDF…</source>
        <translation>将报告另存为 PDF…</translation>
    </message>
    <message>
        <source>Clone as a new project</source>
        <translation>克隆为新项目</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>%1 on new samples</source>
        <translation>在新样本上 %1</translation>
    </message>
    <message>
        <source>Test loss %1</source>
        <translation>测试损失 %1</translation>
    </message>
    <message>
        <source>%1 on the validation data</source>
        <translation>验证数据上 %1</translation>
    </message>
    <message>
        <source>Validation loss %1</source>
        <translation>验证损失 %1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1, %2, %3</source>
        <translation>%1，%2，%3</translation>
    </message>
    <message>
        <source>%1. %2</source>
        <translation>%1。%2</translation>
    </message>
    <message>
        <source>Test loss</source>
        <translation>测试损失</translation>
    </message>
    <message>
        <source>Test %1</source>
        <translation>测试%1</translation>
    </message>
    <message>
        <source>Validation loss</source>
        <translation>验证损失</translation>
    </message>
    <message>
        <source>Validation %1</source>
        <translation>验证%1</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>峰值内存</translation>
    </message>
    <message>
        <source>%1, &lt;i&gt;predicted %2&lt;/i&gt;&amp;nbsp;</source>
        <translation>%1，&lt;i&gt;预测 %2&lt;/i&gt;&amp;nbsp;</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>The run has no checkpoint from which it could continue</source>
        <translation>该运行没有可以继续的检查点</translation>
    </message>
    <message>
        <source>Train again</source>
        <translation>再次训练</translation>
    </message>
    <message>
        <source>Trains a new run with the design and the settings of this run, from initial weights. It waits while another run is active.</source>
        <translation>用此次运行的设计和设置，从初始权重开始训练一次新的运行。有其他运行正在进行时，它会等待。</translation>
    </message>
    <message>
        <source>Energy</source>
        <translation>能耗</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
</context>
<context>
    <name>strata::ui::RunController</name>
    <message>
        <source>The run goes on in %1</source>
        <translation>运行将在 %1 中继续</translation>
    </message>
</context>
<context>
    <name>strata::ui::RunEvaluator</name>
    <message numerus="yes">
        <source>%1 exported and verified: on %n sample(s) the outputs differ by at most %2.</source>
        <translation>
            <numerusform>%1 已导出并通过验证：在 %n 个样本上，输出最多相差 %2。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 exported and verified: identical outputs on %n sample(s).</source>
        <translation>
            <numerusform>%1 已导出并通过验证：在 %n 个样本上，输出完全相同。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::RunItemModel</name>
    <message>
        <source>loss %1</source>
        <translation>损失 %1</translation>
    </message>
    <message>
        <source>%1
%2</source>
        <translation>%1
%2</translation>
    </message>
    <message>
        <source>%1, %2, started %3</source>
        <translation>%1，%2，开始于 %3</translation>
    </message>
    <message>
        <source>%1: %2
%3</source>
        <translation>%1：%2
%3</translation>
    </message>
</context>
<context>
    <name>strata::ui::RunNotice</name>
    <message>
        <source>Training failed: %1</source>
        <translation>训练失败：%1</translation>
    </message>
    <message>
        <source>Training finished: %1</source>
        <translation>训练完成：%1</translation>
    </message>
</context>
<context>
    <name>strata::ui::RunPicker</name>
    <message>
        <source>Draws the curves of other runs of this project into the same plots.</source>
        <translation>把此项目其他运行的曲线画在同样的图中。</translation>
    </message>
    <message>
        <source>Other runs</source>
        <translation>其他运行</translation>
    </message>
    <message>
        <source>Other runs: %1</source>
        <translation>其他运行：%1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>There are no other runs</source>
        <translation>没有其他运行</translation>
    </message>
    <message>
        <source>Other runs: %1 of %2</source>
        <translation>其他运行：%2 个中的 %1 个</translation>
    </message>
</context>
<context>
    <name>strata::ui::RunResults</name>
    <message>
        <source>The selected run</source>
        <translation>所选的运行</translation>
    </message>
    <message>
        <source>There is no test or validation data to evaluate on. Set a test or validation split on the Data page, then train a new run.</source>
        <translation>没有可用于评估的测试数据或验证数据。请在“数据”页设置测试集或验证集比例，然后训练新的运行。</translation>
    </message>
    <message>
        <source>not available; see the message above</source>
        <translation>不可用；请查看上方的消息</translation>
    </message>
    <message>
        <source>Evaluating…</source>
        <translation>正在评估…</translation>
    </message>
    <message>
        <source>There is no test set, so the results were measured on the validation data.</source>
        <translation>没有测试集，因此结果是在验证数据上测得的。</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>NumPy (*.npz)</source>
        <translation>NumPy (*.npz)</translation>
    </message>
    <message>
        <source>safetensors (*.safetensors)</source>
        <translation>safetensors (*.safetensors)</translation>
    </message>
    <message>
        <source>Writing %1…</source>
        <translation>正在写入 %1…</translation>
    </message>
    <message>
        <source>Save the report</source>
        <translation>保存报告</translation>
    </message>
    <message>
        <source>PDF document (*.pdf)</source>
        <translation>PDF 文档 (*.pdf)</translation>
    </message>
    <message>
        <source>HTML document (*.html)</source>
        <translation>HTML 文档 (*.html)</translation>
    </message>
    <message>
        <source>Export weights of %1</source>
        <translation>导出%1的权重</translation>
    </message>
</context>
<context>
    <name>strata::ui::Runs</name>
    <message>
        <source>%1 is waiting for the run of %2 to end</source>
        <translation>%1 正在等待 %2 的运行结束</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>A network is being trained</source>
        <translation>正在训练网络</translation>
    </message>
    <message numerus="yes">
        <source>%1 was closed, so %n queued run(s) will not start</source>
        <translation>
            <numerusform>%1 已关闭，因此排队的 %n 次运行不会开始</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::RunsView</name>
    <message>
        <source>Filter, such as: good val_accuracy&gt;0.9</source>
        <translation>筛选，例如：good val_accuracy&gt;0.9</translation>
    </message>
    <message>
        <source>Filter of the runs</source>
        <translation>运行的筛选</translation>
    </message>
    <message>
        <source>Shows the runs that have all words in their title, notes, tags, status or device. Comparisons such as status=finished, tag=good or val_loss&lt;0.1 use a column.</source>
        <translation>显示标题、备注、标签、状态或设备中含有所有词的运行。status=finished、tag=good 或 val_loss&lt;0.1 等比较使用某一列。</translation>
    </message>
    <message>
        <source>Archived</source>
        <translation>已归档</translation>
    </message>
    <message>
        <source>Also shows archived runs.</source>
        <translation>同时显示已归档的运行。</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Clean up…</source>
        <translation>清理…</translation>
    </message>
    <message>
        <source>Proposes runs to delete, by rules.</source>
        <translation>按规则建议要删除的运行。</translation>
    </message>
    <message>
        <source>Table of all runs</source>
        <translation>所有运行的表格</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Compares the settings, layers and results of these runs.</source>
        <translation>比较这些运行的设置、层和结果。</translation>
    </message>
    <message>
        <source>Show curves</source>
        <translation>显示曲线</translation>
    </message>
    <message>
        <source>Shows the curves of these runs in the same plots.</source>
        <translation>在同样的图中显示这些运行的曲线。</translation>
    </message>
    <message>
        <source>Clone</source>
        <translation>克隆</translation>
    </message>
    <message>
        <source>Opens the project of the run as a new project.</source>
        <translation>将此运行的项目作为新项目打开。</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Moves the runs to the trash. This can be undone.</source>
        <translation>将这些运行移入回收站。此操作可以撤销。</translation>
    </message>
    <message>
        <source>Usual columns</source>
        <translation>常用列</translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s), %1</source>
        <translation>
            <numerusform>%Ln 次运行，%1</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading the runs…</source>
        <translation>正在读取运行…</translation>
    </message>
    <message>
        <source>%1. Selected: %2, %3</source>
        <translation>%1。已选：%2，%3</translation>
    </message>
    <message>
        <source>How the runs are shown</source>
        <translation>运行的显示方式</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Lines</source>
        <translation>折线</translation>
    </message>
    <message>
        <source>One line for each run, over an axis for each setting that differs</source>
        <translation>每次运行一条折线，每个不同的设置一条轴</translation>
    </message>
    <message>
        <source>Result on the last axis</source>
        <translation>最后一条轴上的结果</translation>
    </message>
    <message>
        <source>All settings of these runs are equal.</source>
        <translation>这些运行的所有设置都相同。</translation>
    </message>
    <message>
        <source>The first %1 of %2 settings that differ. A filter of runs leaves fewer.</source>
        <translation>%2 个不同设置中的前 %1 个。筛选运行可以减少它们。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln setting(s) that differ</source>
        <translation>
            <numerusform>%Ln 个不同的设置</numerusform>
        </translation>
    </message>
    <message>
        <source>Train again</source>
        <translation>再次训练</translation>
    </message>
    <message>
        <source>Trains a new run with the design and the settings of each of these runs, from initial weights. They wait while another run is active.</source>
        <translation>用这些运行各自的设计和设置，从初始权重开始训练新的运行。有其他运行正在进行时，它们会等待。</translation>
    </message>
</context>
<context>
    <name>strata::ui::SampleCard</name>
    <message>
        <source>Samples</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Validation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>%1 Values are multiplied by %2, then %3 is added.</source>
        <translation>%1值乘以 %2，再加上 %3。</translation>
    </message>
    <message>
        <source>%1 Values are divided by %2.</source>
        <translation>%1值除以 %2。</translation>
    </message>
    <message>
        <source>%1 Values are multiplied by %2.</source>
        <translation>%1值乘以 %2。</translation>
    </message>
    <message>
        <source>There is no validation data. Set a validation split above 0.</source>
        <translation>没有验证数据。请将验证集比例设为大于 0。</translation>
    </message>
    <message>
        <source>There are no samples in this split.</source>
        <translation>这部分数据中没有样本。</translation>
    </message>
    <message>
        <source>Showing the first %1 of %2.</source>
        <translation>显示前 %1 个，共 %2 个。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln sample(s).</source>
        <translation>
            <numerusform>共 %Ln 个样本。</numerusform>
        </translation>
    </message>
    <message>
        <source>Sample %1: %2</source>
        <translation>样本 %1：%2</translation>
    </message>
    <message>
        <source>%1  →  %2</source>
        <translation>%1  →  %2</translation>
    </message>
</context>
<context>
    <name>strata::ui::SampleList</name>
    <message>
        <source>%1:  %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>strata::ui::ScalingCard</name>
    <message>
        <source>Scaling</source>
        <translation>扩展性</translation>
    </message>
    <message numerus="yes">
        <source>up to %n devices</source>
        <translation>
            <numerusform>最多 %n 台设备</numerusform>
        </translation>
    </message>
    <message>
        <source>Number of devices to measure</source>
        <translation>要测量的设备数</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>测量</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Connection</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Samples per second</source>
        <translation>每秒样本</translation>
    </message>
    <message>
        <source>Efficiency</source>
        <translation>效率</translation>
    </message>
    <message>
        <source>Measuring. This takes some seconds for each number of devices.</source>
        <translation>正在测量。每个设备数需要几秒。</translation>
    </message>
    <message>
        <source>A run trains, so that a measurement would be wrong. Measure after its end.</source>
        <translation>有运行正在训练，测量会不准确。请在其结束后测量。</translation>
    </message>
    <message>
        <source>Trains the open design for some seconds on 1, 2 and more devices, and predicts its speed over NVLink, PCIe and networks. Nothing is saved.</source>
        <translation>在 1、2 及更多设备上训练打开的设计几秒，并预测其通过 NVLink、PCIe 和网络的速度。不保存任何内容。</translation>
    </message>
    <message>
        <source>this machine, predicted</source>
        <translation>本机，预测</translation>
    </message>
    <message>
        <source>this machine, measured</source>
        <translation>本机，实测</translation>
    </message>
    <message>
        <source>%1, predicted</source>
        <translation>%1，预测</translation>
    </message>
    <message>
        <source>Efficiency compares with as many devices that train alone.</source>
        <translation>效率是与同样数量、各自单独训练的设备相比。</translation>
    </message>
</context>
<context>
    <name>strata::ui::ScoresCard</name>
    <message>
        <source>Scores by class</source>
        <translation>各类别的指标</translation>
    </message>
    <message>
        <source>Scores of each class</source>
        <translation>各类别的指标</translation>
    </message>
    <message>
        <source>—</source>
        <translation>—</translation>
    </message>
    <message>
        <source>unknown, because %1</source>
        <translation>未知，因为%1</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精确率</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>召回率</translation>
    </message>
    <message>
        <source>F1</source>
        <translation>F1</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>样本数</translation>
    </message>
    <message>
        <source>ROC area</source>
        <translation>ROC 面积</translation>
    </message>
    <message>
        <source>Average precision</source>
        <translation>平均精确率</translation>
    </message>
    <message numerus="yes">
        <source>%1 sample(s)</source>
        <translation>
            <numerusform>%1 个样本</numerusform>
        </translation>
    </message>
    <message>
        <source>The means are unknown, because %1.</source>
        <translation>平均值未知，因为%1。</translation>
    </message>
    <message>
        <source>Mean of the classes: precision %1, recall %2, F1 %3. Weighted by samples: precision %4, recall %5, F1 %6.</source>
        <translation>各类别平均：精确率 %1，召回率 %2，F1 %3。按样本加权：精确率 %4，召回率 %5，F1 %6。</translation>
    </message>
</context>
<context>
    <name>strata::ui::SetEditor</name>
    <message>
        <source>Reset to the default</source>
        <translation>恢复默认值</translation>
    </message>
</context>
<context>
    <name>strata::ui::SidePane</name>
    <message>
        <source>Open %1</source>
        <translation>展开%1</translation>
    </message>
</context>
<context>
    <name>strata::ui::SizePlot</name>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Size of the runs against their result</source>
        <translation>运行的规模与结果</translation>
    </message>
    <message>
        <source>%1 against parameters</source>
        <translation>%1 与参数量</translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <translation>%1：%2，%3</translation>
    </message>
</context>
<context>
    <name>strata::ui::SleepGuard</name>
    <message>
        <source>The machine may go to sleep during the run, because nothing can prevent this: %1</source>
        <translation>机器在运行期间可能会休眠，因为无法阻止：%1</translation>
    </message>
    <message>
        <source>There is no system bus.</source>
        <translation>没有系统总线。</translation>
    </message>
    <message>
        <source>This build has no D-Bus.</source>
        <translation>此版本不含 D-Bus。</translation>
    </message>
</context>
<context>
    <name>strata::ui::StackedBars</name>
    <message>
        <source>%1: %2 %3</source>
        <translation>%1：%2 %3</translation>
    </message>
    <message>
        <source>predicted %1</source>
        <translation>预测 %1</translation>
    </message>
</context>
<context>
    <name>strata::ui::StartPage</name>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Choose a project to train.</source>
        <translation>选择要训练的项目。</translation>
    </message>
    <message>
        <source>Recent projects</source>
        <translation>最近的项目</translation>
    </message>
    <message>
        <source>Templates</source>
        <translation>模板</translation>
    </message>
    <message>
        <source>Projects that you open or save appear here.</source>
        <translation>您打开或保存过的项目会显示在这里。</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>Use my own data</source>
        <translation>使用自己的数据</translation>
    </message>
    <message>
        <source>A table (CSV)…</source>
        <translation>表格 (CSV)…</translation>
    </message>
    <message>
        <source>A folder of images…</source>
        <translation>图像文件夹…</translation>
    </message>
    <message>
        <source>The templates could not be found</source>
        <translation>找不到模板</translation>
    </message>
    <message>
        <source>New project</source>
        <translation>新建项目</translation>
    </message>
    <message>
        <source>Empty network</source>
        <translation>空网络</translation>
    </message>
    <message>
        <source>No layers and no data: choose both yourself.</source>
        <translation>没有层也没有数据：两者均由您选择。</translation>
    </message>
    <message>
        <source>Your own table</source>
        <translation>您自己的表格</translation>
    </message>
    <message>
        <source>Choose a CSV file, and start with a small network that fits it.</source>
        <translation>选择一个 CSV 文件，从适合它的小型网络开始。</translation>
    </message>
</context>
<context>
    <name>strata::ui::StatusRow</name>
    <message>
        <source>No problems</source>
        <translation>没有问题</translation>
    </message>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <translation>
            <numerusform>%n 个问题</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hint(s)</source>
        <translation>
            <numerusform>%n 个提示</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>Not ready to train</source>
        <translation>还不能训练</translation>
    </message>
    <message>
        <source>Preparing the run</source>
        <translation>正在准备运行</translation>
    </message>
    <message>
        <source>%1, paused</source>
        <translation>%1，已暂停</translation>
    </message>
    <message>
        <source>checkpoint %1</source>
        <translation>检查点：%1</translation>
    </message>
    <message>
        <source>%1, unsaved changes</source>
        <translation>%1，有未保存的更改</translation>
    </message>
    <message>
        <source>not saved yet</source>
        <translation>尚未保存</translation>
    </message>
    <message>
        <source>unsaved changes</source>
        <translation>有未保存的更改</translation>
    </message>
    <message>
        <source>saved %1</source>
        <translation>%1已保存</translation>
    </message>
    <message>
        <source>saved</source>
        <translation>已保存</translation>
    </message>
    <message>
        <source>Checking…</source>
        <translation>正在检查…</translation>
    </message>
    <message>
        <source>A field has an invalid value</source>
        <translation>某个字段的值无效</translation>
    </message>
    <message>
        <source>Does not fit in memory</source>
        <translation>超出内存</translation>
    </message>
    <message>
        <source>The last run failed</source>
        <translation>上次运行失败</translation>
    </message>
    <message>
        <source>checkpoints are off</source>
        <translation>检查点已关闭</translation>
    </message>
    <message>
        <source>Does not fit in memory: predicted %1, limit %2</source>
        <translation>超出内存：预测 %1，上限 %2</translation>
    </message>
    <message>
        <source>Recording: %1</source>
        <translation>记录：%1</translation>
    </message>
    <message>
        <source>Ready to train: %1</source>
        <translation>可以训练：%1</translation>
    </message>
</context>
<context>
    <name>strata::ui::StepTimePlot</name>
    <message>
        <source>Step time over the run</source>
        <translation>运行期间的每步时间</translation>
    </message>
    <message>
        <source>Training time</source>
        <translation>训练时间</translation>
    </message>
    <message>
        <source>Time of a step</source>
        <translation>一步的时间</translation>
    </message>
    <message>
        <source>%1 %2, %3</source>
        <translation>%1 %2，%3</translation>
    </message>
    <message>
        <source>Step %1: %2</source>
        <translation>第 %1 步：%2</translation>
    </message>
</context>
<context>
    <name>strata::ui::Strip</name>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Train this network</source>
        <translation>训练该网络</translation>
    </message>
    <message>
        <source>Choose a template</source>
        <translation>选择模板</translation>
    </message>
    <message>
        <source>Use my own data</source>
        <translation>使用自己的数据</translation>
    </message>
    <message>
        <source>Hide this strip</source>
        <translation>隐藏此栏</translation>
    </message>
    <message numerus="yes">
        <source>The network cannot be trained yet: %n problem(s).</source>
        <translation>
            <numerusform>网络还不能训练：有 %n 个问题。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
    <message>
        <source>%1. Memory and time are %2.</source>
        <translation>%1。内存和时间%2。</translation>
    </message>
    <message>
        <source>%1, estimating memory and time…</source>
        <translation>%1，正在估算内存和时间…</translation>
    </message>
    <message>
        <source>My project</source>
        <translation>我的项目</translation>
    </message>
    <message>
        <source>%1. Predicted: needs %2. Time is %3.</source>
        <translation>%1。预测：需要 %2。时间%3。</translation>
    </message>
    <message>
        <source>%1. Predicted: needs %2, about %3 on real hardware (%4).</source>
        <translation>%1。预测：需要 %2，在真实硬件（%4）上约 %3。</translation>
    </message>
    <message>
        <source>%1. Predicted: needs %2, about %3 on this machine.</source>
        <translation>%1。预测：需要 %2，在这台机器上约 %3。</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1. Predicted: needs %2, about %3 on real hardware (%4) without communication.</source>
        <translation>%1。预测：需要 %2，在真实硬件（%4）上约 %3（不含通信）。</translation>
    </message>
</context>
<context>
    <name>strata::ui::TableCard</name>
    <message>
        <source>tab</source>
        <translation>制表符</translation>
    </message>
    <message>
        <source>space</source>
        <translation>空格</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Columns of the table</source>
        <translation>表格的列</translation>
    </message>
    <message>
        <source>Reading the table…</source>
        <translation>正在读取表格…</translation>
    </message>
    <message numerus="yes">
        <source>%Ln row(s)</source>
        <translation>
            <numerusform>%Ln 行</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln column(s)</source>
        <translation>
            <numerusform>%Ln 列</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2, %3, delimiter %4, %5.</source>
        <translation>%1：%2，%3，分隔符 %4，%5。</translation>
    </message>
    <message>
        <source>Choose as label a column with few different words, or with numbers, to get a network for it.</source>
        <translation>请选择不同词较少的列或数字列作为标签，以获得适合它的网络。</translation>
    </message>
    <message>
        <source>names in the first row</source>
        <translation>第一行是列名</translation>
    </message>
    <message>
        <source>no names</source>
        <translation>没有列名</translation>
    </message>
    <message numerus="yes">
        <source>%Ln row(s) have a different number of cells.</source>
        <translation>
            <numerusform>%Ln 行的单元格数量不同。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>strata::ui::TemplateDialog</name>
    <message>
        <source>Templates</source>
        <translation>模板</translation>
    </message>
    <message>
        <source>Create</source>
        <translation>创建</translation>
    </message>
    <message>
        <source>New project</source>
        <translation>新建项目</translation>
    </message>
    <message>
        <source>Empty network</source>
        <translation>空网络</translation>
    </message>
    <message>
        <source>No layers and no data: choose both yourself.</source>
        <translation>没有层也没有数据：两者均由您选择。</translation>
    </message>
    <message>
        <source>Your own table</source>
        <translation>您自己的表格</translation>
    </message>
    <message>
        <source>Choose a CSV file, and start with a small network that fits it.</source>
        <translation>选择一个 CSV 文件，从适合它的小型网络开始。</translation>
    </message>
</context>
<context>
    <name>strata::ui::TimeDifferenceModel</name>
    <message>
        <source>same</source>
        <translation>相同</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>变化</translation>
    </message>
</context>
<context>
    <name>strata::ui::TimeItemModel</name>
    <message>
        <source>update</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>loss and metrics</source>
        <translation>损失和指标</translation>
    </message>
    <message>
        <source>Measured before the layer changed.
%1</source>
        <translation>在该层改动之前测得。
%1</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Op</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>每步时间</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
</context>
<context>
    <name>strata::ui::TimeLens</name>
    <message>
        <source>Time of the run</source>
        <translation>运行的时间</translation>
    </message>
    <message>
        <source>Step time over the run</source>
        <translation>运行期间的每步时间</translation>
    </message>
    <message>
        <source>Stop profiling</source>
        <translation>停止性能分析</translation>
    </message>
    <message>
        <source>Measures the time of every node. The overhead is shown next to this button.</source>
        <translation>测量每个节点的时间。开销显示在此按钮旁边。</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>性能分析</translation>
    </message>
    <message>
        <source>Advice</source>
        <translation>建议</translation>
    </message>
    <message>
        <source>Roofline</source>
        <translation>屋顶线</translation>
    </message>
    <message>
        <source>Each point is a row of the table. Below the slope, memory limits it; below the flat part, arithmetic does.</source>
        <translation>每个点是表格的一行。在斜线下方受内存限制，在水平线下方受运算限制。</translation>
    </message>
    <message>
        <source>Kernels are unknown, because %1.</source>
        <translation>内核未知，因为%1。</translation>
    </message>
    <message>
        <source>Times appear after the first profiled steps.</source>
        <translation>时间在首批分析的步之后显示。</translation>
    </message>
    <message>
        <source>Times are unknown, because this run was not profiled. Train again to see them.</source>
        <translation>时间未知，因为此次运行没有做性能分析。请重新训练以查看。</translation>
    </message>
    <message>
        <source>%1 predicted</source>
        <translation>%1（预测）</translation>
    </message>
    <message>
        <source>%1 · %2, %3</source>
        <translation>%1 · %2，%3</translation>
    </message>
    <message>
        <source>%1 (predicted)</source>
        <translation>%1（预测）</translation>
    </message>
    <message>
        <source>Nothing takes much more time than it must.</source>
        <translation>没有任何部分的用时明显超出必要。</translation>
    </message>
    <message>
        <source>Advice appears after the first profiled steps.</source>
        <translation>建议在首批分析的步之后显示。</translation>
    </message>
    <message>
        <source>Profiling: reading clocks. Layer statistics: the time of their samplings. Drawing: the processor time of the window, as a part of all processors.</source>
        <translation>性能分析：读取时钟。层统计：采样所用的时间。绘制：窗口占用的处理器时间，以全部处理器的份额计。</translation>
    </message>
    <message>
        <source>profiling %1</source>
        <translation>性能分析 %1</translation>
    </message>
    <message>
        <source>layer statistics %1</source>
        <translation>层统计 %1</translation>
    </message>
    <message>
        <source>drawing %1</source>
        <translation>绘制 %1</translation>
    </message>
    <message>
        <source>Observation overhead about %1 (%2)</source>
        <translation>观测开销约为 %1（%2）</translation>
    </message>
    <message>
        <source>the run has no profile</source>
        <translation>此次运行没有性能分析数据</translation>
    </message>
    <message>
        <source>Mean of the profiled steps of the run so far.</source>
        <translation>该运行迄今已分析的各步的平均值。</translation>
    </message>
</context>
<context>
    <name>strata::ui::TimeRowModel</name>
    <message>
        <source>Kernel</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>Op</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Phase</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>update</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>update of %1</source>
        <translation>%1 的更新</translation>
    </message>
    <message>
        <source>loss and metrics</source>
        <translation>损失和指标</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>inputs and results</source>
        <translation>输入和结果</translation>
    </message>
    <message>
        <source>copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Op %1</source>
        <translation>算子 %1</translation>
    </message>
    <message>
        <source>%1 FLOP and %2 a step, %3 FLOP per byte</source>
        <translation>每步 %1 FLOP 和 %2，每字节 %3 FLOP</translation>
    </message>
    <message>
        <source>Time in one step</source>
        <translation>一步中的时间</translation>
    </message>
    <message>
        <source>Time of one call</source>
        <translation>一次调用的时间</translation>
    </message>
    <message>
        <source>The shortest call of the profiled steps</source>
        <translation>所分析的步中最短的调用</translation>
    </message>
    <message>
        <source>The longest call of the profiled steps</source>
        <translation>所分析的步中最长的调用</translation>
    </message>
    <message>
        <source>Arithmetic per second, and the part of the device&apos;s limit</source>
        <translation>每秒运算量，以及占设备上限的比例</translation>
    </message>
    <message>
        <source>Memory access per second, and the part of the device&apos;s limit</source>
        <translation>每秒内存访问，以及占设备上限的比例</translation>
    </message>
    <message>
        <source>Blocks of the grid, and threads of a block</source>
        <translation>网格的线程块数，以及每块的线程数</translation>
    </message>
    <message>
        <source>Registers per thread</source>
        <translation>每线程寄存器</translation>
    </message>
    <message>
        <source>Shared memory per block</source>
        <translation>每块共享内存</translation>
    </message>
    <message>
        <source>The part of the card&apos;s threads that the grid fills, and the part that registers and shared memory allow</source>
        <translation>网格占用的显卡线程比例，以及寄存器和共享内存所允许的比例</translation>
    </message>
    <message>
        <source>Calls</source>
        <translation>调用</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>Min</source>
        <translation>最短</translation>
    </message>
    <message>
        <source>Max</source>
        <translation>最长</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>Arithmetic</source>
        <translation>运算</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Grid · block</source>
        <translation>网格 · 块</translation>
    </message>
    <message>
        <source>Registers</source>
        <translation>寄存器</translation>
    </message>
    <message>
        <source>Shared</source>
        <translation>共享</translation>
    </message>
    <message>
        <source>Occupancy</source>
        <translation>占用率</translation>
    </message>
</context>
<context>
    <name>strata::ui::TimeTable</name>
    <message>
        <source>Time of a step</source>
        <translation>一步的时间</translation>
    </message>
    <message>
        <source>By layer</source>
        <translation>按层</translation>
    </message>
    <message>
        <source>By op</source>
        <translation>按算子</translation>
    </message>
    <message>
        <source>By kernel</source>
        <translation>按内核</translation>
    </message>
    <message>
        <source>Rows of the table</source>
        <translation>表格的行</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>对比</translation>
    </message>
    <message>
        <source>Shows how the times differ from those of another run.</source>
        <translation>显示与另一次运行的时间差异。</translation>
    </message>
    <message>
        <source>A step: %1 in %2, %3 here</source>
        <translation>一步：%2 为 %1，此处为 %3</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>There are no other runs</source>
        <translation>没有其他运行</translation>
    </message>
    <message>
        <source>Compared with %1</source>
        <translation>与 %1 对比</translation>
    </message>
    <message>
        <source>The times of %1 are unknown, because it was not profiled, or its file profile.json is damaged.</source>
        <translation>%1 的时间未知，因为它没有做性能分析，或其文件 profile.json 已损坏。</translation>
    </message>
</context>
<context>
    <name>strata::ui::TimelineCard</name>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Drag with Shift to add up the times of a range.</source>
        <translation>按住 Shift 拖动可累计一段范围的时间。</translation>
    </message>
    <message>
        <source>Export trace</source>
        <translation>导出跟踪</translation>
    </message>
    <message>
        <source>Reading the trace</source>
        <translation>正在读取跟踪</translation>
    </message>
    <message>
        <source>Stop reading</source>
        <translation>停止读取</translation>
    </message>
    <message>
        <source>Show the run</source>
        <translation>显示运行</translation>
    </message>
    <message numerus="yes">
        <source>%n steps</source>
        <translation>
            <numerusform>%n 步</numerusform>
        </translation>
    </message>
    <message>
        <source>Number of steps to record</source>
        <translation>要记录的步数</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>Records the next steps: this machine&apos;s threads, loading, and every kernel. Recorded steps run one at a time and take longer.</source>
        <translation>记录接下来的步：本机的线程、加载和每个内核。被记录的步逐个运行，耗时更长。</translation>
    </message>
    <message>
        <source>Open trace…</source>
        <translation>打开跟踪…</translation>
    </message>
    <message>
        <source>Opens a trace of Strata, the PyTorch profiler, chrome://tracing or Perfetto.</source>
        <translation>打开 Strata、PyTorch 分析器、chrome://tracing 或 Perfetto 的跟踪。</translation>
    </message>
    <message>
        <source>Export trace…</source>
        <translation>导出跟踪…</translation>
    </message>
    <message>
        <source>Saves the trace for ui.perfetto.dev, or as a table.</source>
        <translation>保存供 ui.perfetto.dev 使用的跟踪，或保存为表格。</translation>
    </message>
    <message>
        <source>Recording the next steps …</source>
        <translation>正在记录接下来的步…</translation>
    </message>
    <message>
        <source>%1: %2 events</source>
        <translation>%1：%2 个事件</translation>
    </message>
    <message>
        <source>%1, its last profiled steps: %2 events</source>
        <translation>%1，最后分析的步：%2 个事件</translation>
    </message>
    <message>
        <source>%1, recorded steps: %2 events</source>
        <translation>%1，记录的步：%2 个事件</translation>
    </message>
    <message>
        <source>The timeline appears after the first profiled steps. Record shows consecutive ones.</source>
        <translation>时间线在首批分析的步之后显示。“记录”可显示连续的步。</translation>
    </message>
    <message>
        <source>A timeline is unknown, because this run recorded no steps. Train, and press Record meanwhile.</source>
        <translation>没有时间线，因为此次运行没有记录步。请训练，并在训练时按“记录”。</translation>
    </message>
    <message>
        <source>Reading %1 …</source>
        <translation>正在读取 %1…</translation>
    </message>
    <message>
        <source>%1 Reading was stopped.</source>
        <translation>%1 读取已停止。</translation>
    </message>
    <message>
        <source>Open trace</source>
        <translation>打开跟踪</translation>
    </message>
    <message>
        <source>Traces (*.json *.json.gz *.gz *.bin)</source>
        <translation>跟踪 (*.json *.json.gz *.gz *.bin)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Trace for Perfetto (*.json)</source>
        <translation>Perfetto 跟踪 (*.json)</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>表格 (*.csv)</translation>
    </message>
    <message>
        <source>Trace of Strata (*.bin)</source>
        <translation>Strata 跟踪 (*.bin)</translation>
    </message>
    <message>
        <source>%1 %2 (%3)</source>
        <translation>%1 %2（%3）</translation>
    </message>
    <message>
        <source>%1 selected: %2</source>
        <translation>已选 %1：%2</translation>
    </message>
    <message>
        <source>predicted %1</source>
        <translation>预测 %1</translation>
    </message>
    <message>
        <source>Times of the host are measured, those of the devices are &lt;i&gt;predicted&lt;/i&gt;. Each step of a device begins where the host started it. It ends before the host goes on, because the simulation takes longer.</source>
        <translation>主机的时间是测量的，设备的时间是&lt;i&gt;预测的&lt;/i&gt;。设备的每一步从主机启动它的时刻开始。由于模拟需要更长时间，它在主机继续之前就已结束。</translation>
    </message>
    <message>
        <source>All times are &lt;i&gt;predicted&lt;/i&gt;.</source>
        <translation>所有时间都是&lt;i&gt;预测的&lt;/i&gt;。</translation>
    </message>
</context>
<context>
    <name>strata::ui::TimelineTable</name>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Thread or stream</source>
        <translation>线程或流</translation>
    </message>
    <message>
        <source>Begin</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Op</source>
        <translation>算子</translation>
    </message>
</context>
<context>
    <name>strata::ui::TimelineView</name>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Duration: %1</source>
        <translation>时长：%1</translation>
    </message>
    <message>
        <source>Begin: %1</source>
        <translation>开始：%1</translation>
    </message>
    <message>
        <source>Layer: %1</source>
        <translation>层：%1</translation>
    </message>
    <message>
        <source>Op: %1</source>
        <translation>算子：%1</translation>
    </message>
    <message>
        <source>Phase: %1</source>
        <translation>阶段：%1</translation>
    </message>
    <message>
        <source>Category: %1</source>
        <translation>类别：%1</translation>
    </message>
    <message>
        <source>Grid: %1</source>
        <translation>网格：%1</translation>
    </message>
    <message>
        <source>Block: %1</source>
        <translation>线程块：%1</translation>
    </message>
    <message>
        <source>Registers: %1</source>
        <translation>寄存器：%1</translation>
    </message>
    <message>
        <source>Shared memory: %1</source>
        <translation>共享内存：%1</translation>
    </message>
    <message>
        <source>Occupancy: %1</source>
        <translation>占用率：%1</translation>
    </message>
    <message>
        <source>Memory traffic: %1</source>
        <translation>内存流量：%1</translation>
    </message>
    <message>
        <source>Predicted duration: %1</source>
        <translation>预测的时长：%1</translation>
    </message>
</context>
<context>
    <name>strata::ui::TopBar</name>
    <message>
        <source>%1, not usable</source>
        <translation>%1，不可用</translation>
    </message>
    <message>
        <source>Open projects</source>
        <translation>已打开的项目</translation>
    </message>
    <message>
        <source>Choose the compute device</source>
        <translation>选择计算设备</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1 *</source>
        <translation>%1 *</translation>
    </message>
    <message>
        <source>%1, not saved yet</source>
        <translation>%1，尚未保存</translation>
    </message>
    <message>
        <source>%1
%2</source>
        <translation>%1
%2</translation>
    </message>
    <message numerus="yes">
        <source>CPU, %n core(s)</source>
        <translation>
            <numerusform>CPU，%n 核</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, %n thread(s)</source>
        <translation>
            <numerusform>%1，%n 线程</numerusform>
        </translation>
    </message>
    <message>
        <source>Device: %1</source>
        <translation>设备：%1</translation>
    </message>
    <message>
        <source>Memory unknown</source>
        <translation>内存未知</translation>
    </message>
    <message>
        <source>%1, fits</source>
        <translation>%1，可容纳</translation>
    </message>
    <message>
        <source>%1, too large</source>
        <translation>%1，过大</translation>
    </message>
    <message>
        <source>Predicted peak memory of a training step. Click for the breakdown.</source>
        <translation>训练步的预测内存峰值。点击查看明细。</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Automatic: the best available device</source>
        <translation>自动：使用最佳的可用设备</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>The results are true, the times are predicted</source>
        <translation>结果真实，时间为预测值</translation>
    </message>
    <message>
        <source>Simulated NVIDIA GPU (%1)</source>
        <translation>模拟的 NVIDIA GPU（%1）</translation>
    </message>
    <message>
        <source>%1: true results, predicted times</source>
        <translation>%1：结果真实，时间为预测</translation>
    </message>
    <message>
        <source>Simulated NVIDIA GPU: true results, predicted times</source>
        <translation>模拟的 NVIDIA GPU：结果真实，时间为预测</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>The device of the run. A new choice applies to the next run.</source>
        <translation>运行所用的设备。新的选择从下一次运行起生效。</translation>
    </message>
    <message>
        <source>%1 of %2, fits</source>
        <translation>%1 / %2，可容纳</translation>
    </message>
    <message>
        <source>%1, more than %2</source>
        <translation>%1，超过 %2</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>New run</source>
        <translation>新运行</translation>
    </message>
    <message>
        <source>New run from %1</source>
        <translation>从%1 开始新运行</translation>
    </message>
    <message>
        <source>Continue (step %1)</source>
        <translation>继续（第 %1 步）</translation>
    </message>
    <message numerus="yes">
        <source>Train %Ln more epoch(s)</source>
        <translation>
            <numerusform>再训练 %Ln 轮</numerusform>
        </translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>恢复运行</translation>
    </message>
    <message>
        <source>CPU, several replicas: each trains on a share of a batch</source>
        <translation>CPU，多个副本：每个副本用批次的一份训练</translation>
    </message>
    <message>
        <source>%1: batch %2 = %3 x %4</source>
        <translation>%1：批次 %2 = %3 x %4</translation>
    </message>
    <message>
        <source>%1: batch %2 in %3 shares</source>
        <translation>%1：批次 %2 分为 %3 份</translation>
    </message>
    <message>
        <source>Memory: predicted %1 of %2, fits</source>
        <translation>内存：预测 %1，共 %2，可容纳</translation>
    </message>
    <message>
        <source>Memory: predicted %1, more than %2</source>
        <translation>内存：预测 %1，超过 %2</translation>
    </message>
    <message>
        <source>Train later</source>
        <translation>稍后训练</translation>
    </message>
</context>
<context>
    <name>strata::ui::TrainButton</name>
    <message>
        <source>Other ways to start training</source>
        <translation>其他开始训练的方式</translation>
    </message>
</context>
<context>
    <name>strata::ui::TrainPage</name>
    <message>
        <source>Views of the run</source>
        <translation>运行的视图</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Draw a digit</source>
        <translation>画一个数字</translation>
    </message>
    <message>
        <source>See mistakes</source>
        <translation>查看错误样本</translation>
    </message>
    <message>
        <source>Slowest layers</source>
        <translation>最慢的层</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>%1 The fastest option that fits: %2.</source>
        <translation>%1最快的可容纳方案：%2。</translation>
    </message>
    <message>
        <source>Use this</source>
        <translation>采用</translation>
    </message>
    <message>
        <source>Use this: %1</source>
        <translation>采用：%1</translation>
    </message>
    <message>
        <source>Options that fit</source>
        <translation>可行的方案</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Another folder…</source>
        <translation>其他文件夹…</translation>
    </message>
    <message>
        <source>Go on without checkpoints</source>
        <translation>不保存检查点并继续</translation>
    </message>
    <message>
        <source>%1. Checkpoints are off until the end of the run.</source>
        <translation>%1。直到运行结束，检查点保持关闭。</translation>
    </message>
    <message>
        <source>Choose a folder for the run</source>
        <translation>为运行选择文件夹</translation>
    </message>
    <message>
        <source>End without saving</source>
        <translation>不保存并结束</translation>
    </message>
    <message>
        <source>Back to the last run</source>
        <translation>返回最近的运行</translation>
    </message>
</context>
<context>
    <name>strata::ui::TrainingTab</name>
    <message>
        <source>live</source>
        <translation>实时</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>How weights are updated from their gradients</source>
        <translation>根据梯度更新权重的方法</translation>
    </message>
    <message>
        <source>Compute device</source>
        <translation>计算设备</translation>
    </message>
    <message>
        <source>Device that trains the network</source>
        <translation>用于训练网络的设备</translation>
    </message>
    <message>
        <source>Disabled passes</source>
        <translation>禁用的优化遍</translation>
    </message>
    <message>
        <source>Graph optimizations to skip; the results stay the same</source>
        <translation>要跳过的图优化；不影响结果</translation>
    </message>
    <message>
        <source>Class weights</source>
        <translation>类别权重</translation>
    </message>
    <message>
        <source>Loss and metrics</source>
        <translation>损失和指标</translation>
    </message>
    <message>
        <source>Optimizer options</source>
        <translation>优化器选项</translation>
    </message>
    <message>
        <source>Batches and order</source>
        <translation>批次与顺序</translation>
    </message>
    <message>
        <source>Validation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>Callbacks, stages and changes</source>
        <translation>回调、阶段与变更</translation>
    </message>
    <message>
        <source>Device and memory</source>
        <translation>设备与内存</translation>
    </message>
    <message>
        <source>Learning rate over the planned steps</source>
        <translation>计划步数内的学习率</translation>
    </message>
    <message>
        <source>step 1</source>
        <translation>第 1 步</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>The learning rate begins at %1 and ends at %2, over %3 steps.</source>
        <translation>学习率从 %1 开始，到 %2 结束，共 %3 步。</translation>
    </message>
    <message>
        <source>During a run, fields marked “live” take effect at the next step. The others apply to the next run.</source>
        <translation>运行期间，标有“实时”的字段从下一步起生效，其余字段从下一次运行起生效。</translation>
    </message>
    <message>
        <source>Weight of each class in the loss, in class order or with the names of classes, such as cat: 1, dog: 2.5; missing classes have weight 1. balanced: classes with fewer samples weigh more</source>
        <translation>损失中每个类别的权重，按类别顺序，或使用类别名称（如 cat: 1, dog: 2.5）；未列出的类别权重为 1。balanced：样本较少的类别权重较大</translation>
    </message>
</context>
<context>
    <name>strata::ui::TryCard</name>
    <message>
        <source>Try it</source>
        <translation>试一试</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Prediction of the network</source>
        <translation>网络的预测</translation>
    </message>
    <message>
        <source>Probability of each class</source>
        <translation>各类别的概率</translation>
    </message>
    <message>
        <source>The prediction updates as you draw.</source>
        <translation>预测会随着您的绘制更新。</translation>
    </message>
</context>
<context>
    <name>strata::ui::ValuesCard</name>
    <message>
        <source>Predicted and true values</source>
        <translation>预测值与真实值</translation>
    </message>
    <message>
        <source>True value</source>
        <translation>真实值</translation>
    </message>
    <message>
        <source>Predicted value</source>
        <translation>预测值</translation>
    </message>
    <message>
        <source>Predicted and true values, largest differences first</source>
        <translation>预测值与真实值，按差值从大到小排列</translation>
    </message>
    <message>
        <source>Points on the line are exact predictions.</source>
        <translation>线上的点表示预测值与真实值一致。</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>True</source>
        <translation>真实值</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>预测值</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差值</translation>
    </message>
    <message>
        <source>sample %1</source>
        <translation>样本 %1</translation>
    </message>
    <message>
        <source>Plot of predicted against true values</source>
        <translation>预测值与真实值的散点图</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %2 validation sample(s)</source>
        <translation>
            <numerusform>%2 个验证样本中的 %1 个</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 validation sample(s)</source>
        <translation>
            <numerusform>%1 个验证样本</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %2 test sample(s)</source>
        <translation>
            <numerusform>%2 个测试样本中的 %1 个</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 test sample(s)</source>
        <translation>
            <numerusform>%1 个测试样本</numerusform>
        </translation>
    </message>
    <message>
        <source>Predicted against true values</source>
        <translation>预测值与真实值</translation>
    </message>
    <message>
        <source>Histogram of the residuals</source>
        <translation>残差直方图</translation>
    </message>
    <message>
        <source>True value minus predicted value</source>
        <translation>真实值减预测值</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>Residuals</source>
        <translation>残差</translation>
    </message>
    <message>
        <source>The errors are unknown, because %1.</source>
        <translation>误差未知，因为%1。</translation>
    </message>
    <message>
        <source>Mean absolute error %1, root mean squared error %2, median absolute error %3.</source>
        <translation>平均绝对误差 %1，均方根误差 %2，绝对误差中位数 %3。</translation>
    </message>
    <message>
        <source>%1 R² %2.</source>
        <translation>%1 R² %2。</translation>
    </message>
</context>
<context>
    <name>strata::ui::WhatIf</name>
    <message>
        <source>What if</source>
        <translation>假设分析</translation>
    </message>
    <message>
        <source>Use these settings</source>
        <translation>采用这些设置</translation>
    </message>
    <message>
        <source>Puts the settings into the design, as one step that can be undone.</source>
        <translation>把这些设置写入设计，作为可撤销的一步。</translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>Micro-batches</source>
        <translation>微批次</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Recompute</source>
        <translation>重计算</translation>
    </message>
    <message>
        <source>Memory limit</source>
        <translation>内存上限</translation>
    </message>
    <message>
        <source>none, or a size such as 512 MiB</source>
        <translation>无，或如 512 MiB 的大小</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>As in the design</source>
        <translation>与设计相同</translation>
    </message>
    <message>
        <source>%1, simulated</source>
        <translation>%1，模拟</translation>
    </message>
    <message>
        <source>Memory against time</source>
        <translation>内存与时间</translation>
    </message>
    <message>
        <source>Memory limit of the step</source>
        <translation>步的内存上限</translation>
    </message>
    <message>
        <source>Choose a memory limit, from the step as it is to the smallest one.</source>
        <translation>选择内存上限，从当前的步到最小的步。</translation>
    </message>
    <message>
        <source>Use this limit</source>
        <translation>采用此上限</translation>
    </message>
    <message>
        <source>The batch size must be a whole number, 1 or more.</source>
        <translation>批大小必须是不小于 1 的整数。</translation>
    </message>
    <message>
        <source>The number of micro-batches must be a whole number, 1 or more.</source>
        <translation>微批次数必须是不小于 1 的整数。</translation>
    </message>
    <message>
        <source>The memory limit must be a size such as 512 MiB, or empty.</source>
        <translation>内存上限必须是如 512 MiB 的大小，或留空。</translation>
    </message>
    <message>
        <source>Calculating…</source>
        <translation>正在计算…</translation>
    </message>
    <message>
        <source>Predicted peak %1 of %2: fits</source>
        <translation>预测峰值 %1 / %2：可容纳</translation>
    </message>
    <message>
        <source>Predicted peak %1: does not fit in %2</source>
        <translation>预测峰值 %1：超出 %2</translation>
    </message>
    <message>
        <source>Predicted time of a step %1</source>
        <translation>预测一步的时间 %1</translation>
    </message>
    <message>
        <source>The time of a step is unknown, because this device has no cost model.</source>
        <translation>一步的时间未知，因为此设备没有成本模型。</translation>
    </message>
    <message>
        <source>Less memory is not possible, or not calculated yet.</source>
        <translation>无法使用更少的内存，或尚未计算。</translation>
    </message>
    <message>
        <source>a step takes %1 longer</source>
        <translation>一步要多花 %1</translation>
    </message>
    <message>
        <source>a step takes no longer</source>
        <translation>一步的时间不变</translation>
    </message>
    <message>
        <source>Limit %1: predicted peak %2, %3</source>
        <translation>上限 %1：预测峰值 %2，%3</translation>
    </message>
    <message>
        <source>%1, about %2</source>
        <translation>%1，约 %2</translation>
    </message>
    <message>
        <source>Recomputed: %1</source>
        <translation>重计算：%1</translation>
    </message>
    <message>
        <source>Predicted time of a step without communication %1</source>
        <translation>预测一步的时间（不含通信）%1</translation>
    </message>
</context>
<context>
    <name>strata::ui::Workspace</name>
    <message>
        <source>Opened %1</source>
        <translation>已打开 %1</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>已保存 %1</translation>
    </message>
</context>
<context>
    <name>strata::ui::edits</name>
    <message>
        <source>Change %1 of %2</source>
        <translation>更改 %2 的 %1</translation>
    </message>
    <message>
        <source>Change %1</source>
        <translation>更改 %1</translation>
    </message>
    <message>
        <source>Reset %1</source>
        <translation>重置 %1</translation>
    </message>
    <message>
        <source>Duplicate %1</source>
        <translation>复制 %1</translation>
    </message>
    <message>
        <source>Move %1</source>
        <translation>移动 %1</translation>
    </message>
    <message>
        <source>Restore unsaved changes</source>
        <translation>恢复未保存的更改</translation>
    </message>
    <message>
        <source>The selected layers are not all in the same place. Select only layers of the network, or only layers of one Block.</source>
        <translation>所选的层不在同一个位置。请只选择网络中的层，或同一个 Block 中的层。</translation>
    </message>
    <message>
        <source>Layers can move only within the network or within their Block. To move them out, ungroup the Block.</source>
        <translation>层只能在网络之内或所在的 Block 之内移动。要移出，请先拆分该 Block。</translation>
    </message>
    <message>
        <source>Scale batch size and learning rate</source>
        <translation>按比例放大批大小和学习率</translation>
    </message>
</context>
<context>
    <name>training</name>
    <message>
        <source>The network outputs logits: it ends without softmax or sigmoid</source>
        <translation>网络输出 logits：末尾没有 softmax 或 sigmoid</translation>
    </message>
    <message>
        <source>From logits</source>
        <translation>使用 logits</translation>
    </message>
    <message>
        <source>Label smoothing</source>
        <translation>标签平滑</translation>
    </message>
    <message>
        <source>Reduction</source>
        <translation>归约方式</translation>
    </message>
    <message>
        <source>Ignored class</source>
        <translation>忽略的类别</translation>
    </message>
    <message>
        <source>Mean of the squared differences between outputs and targets</source>
        <translation>输出与目标之差的平方的均值</translation>
    </message>
    <message>
        <source>Delta</source>
        <translation>Delta</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>阈值</translation>
    </message>
    <message>
        <source>Epsilon</source>
        <translation>Epsilon</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>Step size of each weight update</source>
        <translation>每次更新权重的步长</translation>
    </message>
    <message>
        <source>Weight decay</source>
        <translation>权重衰减</translation>
    </message>
    <message>
        <source>Clip norm</source>
        <translation>范数裁剪</translation>
    </message>
    <message>
        <source>Clip value</source>
        <translation>数值裁剪</translation>
    </message>
    <message>
        <source>Global clip norm</source>
        <translation>全局范数裁剪</translation>
    </message>
    <message>
        <source>Beta 1</source>
        <translation>Beta 1</translation>
    </message>
    <message>
        <source>Beta 2</source>
        <translation>Beta 2</translation>
    </message>
    <message>
        <source>AMSGrad</source>
        <translation>AMSGrad</translation>
    </message>
    <message>
        <source>Momentum</source>
        <translation>动量</translation>
    </message>
    <message>
        <source>Nesterov</source>
        <translation>Nesterov 动量</translation>
    </message>
    <message>
        <source>Rho</source>
        <translation>Rho</translation>
    </message>
    <message>
        <source>Centered</source>
        <translation>中心化</translation>
    </message>
    <message>
        <source>Initial accumulator value</source>
        <translation>累加器初始值</translation>
    </message>
    <message>
        <source>How the network is trained</source>
        <translation>网络的训练方式</translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>Accumulation steps</source>
        <translation>累积步数</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>训练轮数</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>Shuffle</source>
        <translation>打乱</translation>
    </message>
    <message>
        <source>Initial weights</source>
        <translation>初始权重</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>线程数</translation>
    </message>
    <message>
        <source>Memory limit</source>
        <translation>内存上限</translation>
    </message>
    <message>
        <source>Recompute</source>
        <translation>重计算</translation>
    </message>
    <message>
        <source>Kernel choice</source>
        <translation>内核选择</translation>
    </message>
    <message>
        <source>Axis</source>
        <translation>轴</translation>
    </message>
    <message>
        <source>Dimension of the classes; -1: the last one</source>
        <translation>类别所在的维度；-1 表示最后一维</translation>
    </message>
    <message>
        <source>Alpha</source>
        <translation>Alpha</translation>
    </message>
    <message>
        <source>Gamma</source>
        <translation>Gamma</translation>
    </message>
    <message>
        <source>Class balancing</source>
        <translation>类别平衡</translation>
    </message>
    <message>
        <source>q</source>
        <translation>q</translation>
    </message>
    <message>
        <source>Beta</source>
        <translation>Beta</translation>
    </message>
    <message>
        <source>Margin</source>
        <translation>间隔</translation>
    </message>
    <message>
        <source>Dimension of the vectors; -1: the last one</source>
        <translation>向量所在的维度；-1 表示最后一维</translation>
    </message>
    <message>
        <source>Thresholds</source>
        <translation>阈值</translation>
    </message>
    <message>
        <source>Top k</source>
        <translation>前 k 个</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Number of thresholds</source>
        <translation>阈值个数</translation>
    </message>
    <message>
        <source>Average</source>
        <translation>平均方式</translation>
    </message>
    <message>
        <source>Specificity</source>
        <translation>特异度</translation>
    </message>
    <message>
        <source>Sensitivity</source>
        <translation>灵敏度</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>召回率</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精确率</translation>
    </message>
    <message>
        <source>Curve</source>
        <translation>曲线</translation>
    </message>
    <message>
        <source>Summation</source>
        <translation>求和方式</translation>
    </message>
    <message>
        <source>Label weights</source>
        <translation>标签权重</translation>
    </message>
    <message>
        <source>Weight of recall</source>
        <translation>召回率的权重</translation>
    </message>
    <message>
        <source>k</source>
        <translation>k</translation>
    </message>
    <message>
        <source>Number of regressors</source>
        <translation>自变量数</translation>
    </message>
    <message>
        <source>Number of classes</source>
        <translation>类别数</translation>
    </message>
    <message>
        <source>Moving average</source>
        <translation>滑动平均</translation>
    </message>
    <message>
        <source>Moving average decay</source>
        <translation>滑动平均衰减率</translation>
    </message>
    <message>
        <source>Coefficient</source>
        <translation>系数</translation>
    </message>
    <message>
        <source>Newton-Schulz steps</source>
        <translation>Newton-Schulz 迭代次数</translation>
    </message>
    <message>
        <source>Step size</source>
        <translation>步长</translation>
    </message>
    <message>
        <source>Root mean square of the update at learning rate 1; none: the update is not scaled</source>
        <translation>学习率为 1 时更新量的均方根；无：不缩放</translation>
    </message>
    <message>
        <source>Adam with Nesterov momentum</source>
        <translation>采用 Nesterov 动量的 Adam</translation>
    </message>
    <message>
        <source>L1</source>
        <translation>L1</translation>
    </message>
    <message>
        <source>L2</source>
        <translation>L2</translation>
    </message>
    <message>
        <source>L2 shrinkage</source>
        <translation>L2 收缩</translation>
    </message>
    <message>
        <source>Beta 2 decay</source>
        <translation>Beta 2 衰减</translation>
    </message>
    <message>
        <source>Epsilon 1</source>
        <translation>Epsilon 1</translation>
    </message>
    <message>
        <source>Epsilon 2</source>
        <translation>Epsilon 2</translation>
    </message>
    <message>
        <source>Clip threshold</source>
        <translation>裁剪阈值</translation>
    </message>
    <message>
        <source>Relative step</source>
        <translation>相对步长</translation>
    </message>
    <message>
        <source>Initial learning rate</source>
        <translation>初始学习率</translation>
    </message>
    <message>
        <source>Learning rate of the first step</source>
        <translation>第一步的学习率</translation>
    </message>
    <message>
        <source>Decay steps</source>
        <translation>衰减步数</translation>
    </message>
    <message>
        <source>Decay rate</source>
        <translation>衰减率</translation>
    </message>
    <message>
        <source>Factor by which the learning rate is multiplied in each decay period</source>
        <translation>每经过一个衰减周期，学习率乘以该系数</translation>
    </message>
    <message>
        <source>Staircase</source>
        <translation>阶梯式</translation>
    </message>
    <message>
        <source>Boundaries</source>
        <translation>分界点</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>End learning rate</source>
        <translation>最终学习率</translation>
    </message>
    <message>
        <source>Learning rate at the end of the decay</source>
        <translation>衰减结束时的学习率</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>幂次</translation>
    </message>
    <message>
        <source>Cycle</source>
        <translation>循环</translation>
    </message>
    <message>
        <source>Warm-up target</source>
        <translation>预热目标</translation>
    </message>
    <message>
        <source>Warm-up steps</source>
        <translation>预热步数</translation>
    </message>
    <message>
        <source>First decay steps</source>
        <translation>首个周期步数</translation>
    </message>
    <message>
        <source>Total steps</source>
        <translation>总步数</translation>
    </message>
    <message>
        <source>Start divisor</source>
        <translation>起始除数</translation>
    </message>
    <message>
        <source>End divisor</source>
        <translation>终止除数</translation>
    </message>
    <message>
        <source>Three phases</source>
        <translation>三个阶段</translation>
    </message>
    <message>
        <source>Direction</source>
        <translation>方向</translation>
    </message>
    <message>
        <source>Patience</source>
        <translation>容忍轮数</translation>
    </message>
    <message>
        <source>Baseline</source>
        <translation>基线</translation>
    </message>
    <message>
        <source>Factor</source>
        <translation>系数</translation>
    </message>
    <message>
        <source>Dimension of the outputs; -1: the last one</source>
        <translation>输出所在的维度；-1 表示最后一维</translation>
    </message>
    <message>
        <source>Steps per epoch</source>
        <translation>每轮步数</translation>
    </message>
    <message>
        <source>Setting to change: learning_rate, clipnorm, clipvalue, global_clipnorm, weight_decay, or the dropout rate of a layer, such as drop/rate</source>
        <translation>要更改的设置：learning_rate、clipnorm、clipvalue、global_clipnorm、weight_decay，或某层的丢弃率，例如 drop/rate</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Frozen layers</source>
        <translation>冻结的层</translation>
    </message>
    <message>
        <source>Callbacks</source>
        <translation>回调</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Changes</source>
        <translation>变更</translation>
    </message>
    <message>
        <source>Fraction of each target that is spread over all classes</source>
        <translation>每个目标中均匀分配给所有类别的比例</translation>
    </message>
    <message>
        <source>How the losses of the samples are combined</source>
        <translation>各样本损失的合并方式</translation>
    </message>
    <message>
        <source>Cross-entropy of class probabilities; targets are class numbers</source>
        <translation>多分类交叉熵；目标为类别编号</translation>
    </message>
    <message>
        <source>Class whose samples are ignored</source>
        <translation>忽略此类别的样本</translation>
    </message>
    <message>
        <source>Cross-entropy of class probabilities; targets are probabilities</source>
        <translation>多分类交叉熵；目标为概率</translation>
    </message>
    <message>
        <source>Binary cross-entropy of independent outputs</source>
        <translation>各输出独立计算的二元交叉熵</translation>
    </message>
    <message>
        <source>Mean of the absolute differences between outputs and targets</source>
        <translation>输出与目标之差的绝对值的均值</translation>
    </message>
    <message>
        <source>Squared error for small differences, absolute error for large ones; less sensitive to outliers</source>
        <translation>差值小时取平方误差，差值大时取绝对误差；对离群值不敏感</translation>
    </message>
    <message>
        <source>Difference at which the loss changes from squared to absolute error</source>
        <translation>差值超过此界限时，由平方误差改为绝对误差</translation>
    </message>
    <message>
        <source>Fraction of samples whose largest output is the target class</source>
        <translation>预测正确的样本比例（输出最大的类别即为目标类别）</translation>
    </message>
    <message>
        <source>Fraction of samples whose largest output and largest target are the same class</source>
        <translation>预测正确的样本比例（输出最大的类别与目标值最大的类别相同）</translation>
    </message>
    <message>
        <source>Fraction of outputs on the correct side of the threshold</source>
        <translation>位于阈值正确一侧的输出比例</translation>
    </message>
    <message>
        <source>Outputs above this value are positive</source>
        <translation>高于该值的输出为正例</translation>
    </message>
    <message>
        <source>Fraction of correct predictions; a single output is compared with a threshold, otherwise the largest output counts</source>
        <translation>预测正确的比例；单个输出按阈值判断，多个输出取最大者</translation>
    </message>
    <message>
        <source>Small constant added to the denominator for numerical stability</source>
        <translation>加到分母上的小常数，用于保证数值稳定</translation>
    </message>
    <message>
        <source>Each step reduces every weight by this fraction times the learning rate</source>
        <translation>每一步将各权重按“该值乘以学习率”的比例缩小</translation>
    </message>
    <message>
        <source>Maximum norm of the gradient of each variable</source>
        <translation>各变量梯度的范数上限</translation>
    </message>
    <message>
        <source>Maximum absolute value of each gradient element</source>
        <translation>梯度中各元素的绝对值上限</translation>
    </message>
    <message>
        <source>Maximum norm of all gradients together</source>
        <translation>所有梯度合并计算的范数上限</translation>
    </message>
    <message>
        <source>Decay rate of the running mean of gradients</source>
        <translation>梯度滑动平均的衰减率</translation>
    </message>
    <message>
        <source>Decay rate of the running mean of squared gradients</source>
        <translation>梯度平方滑动平均的衰减率</translation>
    </message>
    <message>
        <source>Uses the largest mean square so far, so that the step size never increases</source>
        <translation>使用迄今为止最大的均方值，以免步长增大</translation>
    </message>
    <message>
        <source>Fraction of the previous update that is added to the next one</source>
        <translation>将上一次更新量按此比例加到下一次更新中</translation>
    </message>
    <message>
        <source>Gradient descent with optional momentum</source>
        <translation>梯度下降，可选用动量</translation>
    </message>
    <message>
        <source>Uses Nesterov momentum</source>
        <translation>使用 Nesterov 动量</translation>
    </message>
    <message>
        <source>Adapts the step size of each weight to its gradients; a good first choice</source>
        <translation>根据梯度调整每个权重的步长；适合作为首选</translation>
    </message>
    <message>
        <source>Adam with decoupled weight decay</source>
        <translation>采用解耦权重衰减的 Adam</translation>
    </message>
    <message>
        <source>Divides each gradient by the root of its running mean square</source>
        <translation>将梯度除以其均方滑动平均的平方根</translation>
    </message>
    <message>
        <source>Divides by the standard deviation of the gradients instead of their root mean square</source>
        <translation>除以梯度的标准差，而不是均方根</translation>
    </message>
    <message>
        <source>Reduces the step size of weights that have already received large updates</source>
        <translation>权重的累计更新越大，其步长越小</translation>
    </message>
    <message>
        <source>Initial value of the sum of squared gradients</source>
        <translation>梯度平方和的初始值</translation>
    </message>
    <message>
        <source>Number of samples per weight update</source>
        <translation>每次更新权重所用的样本数</translation>
    </message>
    <message>
        <source>Number of micro-batches that a batch is split into to save memory; the weights are updated once per batch</source>
        <translation>为节省内存，将每批拆分成的微批次数；每批只更新一次权重</translation>
    </message>
    <message>
        <source>Number of passes over the training data</source>
        <translation>训练数据的遍历次数</translation>
    </message>
    <message>
        <source>Determines initial weights, data order and dropout; the same seed gives the same run</source>
        <translation>决定初始权重、数据顺序和随机失活；种子相同，运行结果也相同</translation>
    </message>
    <message>
        <source>Shuffles the training samples before each epoch</source>
        <translation>每轮开始前打乱训练样本</translation>
    </message>
    <message>
        <source>Weights file to start from; the path is relative to the project</source>
        <translation>作为训练起点的权重文件，路径相对于项目</translation>
    </message>
    <message>
        <source>Device, memory and kernels used for training</source>
        <translation>训练使用的设备、内存和内核</translation>
    </message>
    <message>
        <source>Compute device</source>
        <translation>计算设备</translation>
    </message>
    <message>
        <source>Number of CPU threads; 0: all cores</source>
        <translation>CPU 线程数；0 表示全部核心</translation>
    </message>
    <message>
        <source>Maximum memory for training; default: all memory of the machine</source>
        <translation>训练可使用的内存上限；默认为机器的全部内存</translation>
    </message>
    <message>
        <source>Recomputes values in the backward pass instead of keeping them; auto: as far as the memory limit requires; all: wherever it saves memory</source>
        <translation>在反向传播时重新计算中间值，而不保留在内存中；auto：仅重计算到满足内存上限为止；all：只要能节省内存就重计算</translation>
    </message>
    <message>
        <source>How kernels are chosen; same_bits: by timing, among kernels with bit-identical results; fastest: by timing, among all kernels; rule: by fixed rules, without timing</source>
        <translation>内核的选择方式；same_bits：通过计时，在结果逐位相同的内核中选择；fastest：通过计时，在所有内核中选择；rule：按固定规则选择，不计时</translation>
    </message>
    <message>
        <source>Weight by which the loss of every class is multiplied</source>
        <translation>每个类别的损失都乘以该权重</translation>
    </message>
    <message>
        <source>How strongly the weight of easy samples is reduced</source>
        <translation>易分样本权重的降低程度</translation>
    </message>
    <message>
        <source>Dimensions to sum over; none: all</source>
        <translation>要求和的维度；无：全部</translation>
    </message>
    <message>
        <source>Binary cross-entropy with less weight for easy samples</source>
        <translation>二元交叉熵，降低易分样本的权重</translation>
    </message>
    <message>
        <source>Weights positives by alpha and negatives by 1 - alpha</source>
        <translation>正例权重为 alpha，负例权重为 1 - alpha</translation>
    </message>
    <message>
        <source>Cross-entropy of class probabilities with less weight for easy samples</source>
        <translation>多分类交叉熵，降低易分样本的权重</translation>
    </message>
    <message>
        <source>Cross-entropy that tolerates wrong labels; targets are class numbers</source>
        <translation>能容忍部分错误标签的交叉熵；目标为类别编号</translation>
    </message>
    <message>
        <source>Close to 0: similar to the cross-entropy; close to 1: similar to the absolute error</source>
        <translation>接近 0：类似交叉熵；接近 1：类似绝对误差</translation>
    </message>
    <message>
        <source>Hinge loss: distance to the correct side of the margin; targets are -1 and 1</source>
        <translation>合页损失：到间隔正确一侧的距离；目标取 -1 或 1</translation>
    </message>
    <message>
        <source>Squared hinge loss: squared distance to the correct side of the margin; targets are -1 and 1</source>
        <translation>平方合页损失：到间隔正确一侧的距离的平方；目标取 -1 或 1</translation>
    </message>
    <message>
        <source>Categorical hinge loss: margin between the target class and the best other class; targets are 0 and 1</source>
        <translation>多分类合页损失：目标类别与得分最高的其他类别之间的间隔；目标取 0 或 1</translation>
    </message>
    <message>
        <source>1 minus the Dice coefficient, which measures the overlap of outputs and targets</source>
        <translation>1 减去 Dice 系数（衡量输出与目标的重叠程度）</translation>
    </message>
    <message>
        <source>Dice loss with separate weights for false negatives and false positives</source>
        <translation>对假负例和假正例分别加权的 Dice 损失</translation>
    </message>
    <message>
        <source>Weight of false negatives</source>
        <translation>假负例的权重</translation>
    </message>
    <message>
        <source>Weight of false positives</source>
        <translation>假正例的权重</translation>
    </message>
    <message>
        <source>Minimum distance between two samples with target 0</source>
        <translation>目标为 0 时，两个样本之间的最小距离</translation>
    </message>
    <message>
        <source>Pulls unit vectors of the same class together and pushes others apart; targets are class numbers</source>
        <translation>拉近同类的单位向量，推远异类的单位向量；目标为类别编号</translation>
    </message>
    <message>
        <source>How strongly difficult pairs are emphasized</source>
        <translation>对困难样本对的侧重程度</translation>
    </message>
    <message>
        <source>Exclude self-pairs</source>
        <translation>排除自身样本对</translation>
    </message>
    <message>
        <source>Does not pair a sample with itself</source>
        <translation>样本不与自身组成样本对</translation>
    </message>
    <message>
        <source>Triplet loss: compares the farthest sample of the same class with the nearest sample of another class; targets are class numbers</source>
        <translation>三元组损失：比较同类中最远的样本与异类中最近的样本；目标为类别编号</translation>
    </message>
    <message>
        <source>Contrastive loss on the distance of two samples: target 1 pulls them together, target 0 pushes them apart</source>
        <translation>基于两个样本之间距离的对比损失：目标为 1 时拉近，为 0 时推远</translation>
    </message>
    <message>
        <source>Mean of the absolute differences as percentages of the targets</source>
        <translation>绝对误差占目标值百分比的均值</translation>
    </message>
    <message>
        <source>Mean of the squared differences of the logarithms; compares ratios</source>
        <translation>输出与目标取对数后之差的平方均值；比较的是比值</translation>
    </message>
    <message>
        <source>Logarithm of the hyperbolic cosine of the difference; changes smoothly from squared to absolute error</source>
        <translation>差值的双曲余弦的对数；从平方误差平滑过渡到绝对误差</translation>
    </message>
    <message>
        <source>Negative log-likelihood of counts (Poisson distribution)</source>
        <translation>计数数据的负对数似然（泊松分布）</translation>
    </message>
    <message>
        <source>Kullback-Leibler divergence between targets and outputs</source>
        <translation>目标与输出之间的 KL 散度</translation>
    </message>
    <message>
        <source>Negative cosine similarity of outputs and targets; -1: same direction, 1: opposite direction</source>
        <translation>输出与目标的负余弦相似度；-1：方向相同，1：方向相反</translation>
    </message>
    <message>
        <source>Only the k largest outputs of a sample count as positive</source>
        <translation>每个样本只有最大的 k 个输出计为正例</translation>
    </message>
    <message>
        <source>Evaluates only this class; none: all classes</source>
        <translation>只评估该类别；无：所有类别</translation>
    </message>
    <message>
        <source>Number of thresholds, evenly spaced between 0 and 1</source>
        <translation>在 0 到 1 之间均匀分布的阈值个数</translation>
    </message>
    <message>
        <source>How the scores of the classes are combined; none: one score per class</source>
        <translation>各类别得分的合并方式；无：每个类别一个得分</translation>
    </message>
    <message>
        <source>Outputs above this value are positive; default: 0.5; several thresholds give several results</source>
        <translation>高于该值的输出为正例；默认 0.5；多个阈值得到多个结果</translation>
    </message>
    <message>
        <source>Fraction of predicted positives that are correct</source>
        <translation>预测为正例的样本中预测正确的比例</translation>
    </message>
    <message>
        <source>Fraction of actual positives that are found</source>
        <translation>实际正例中被正确识别的比例</translation>
    </message>
    <message>
        <source>Number of true positives</source>
        <translation>真正例数</translation>
    </message>
    <message>
        <source>Number of true negatives</source>
        <translation>真负例数</translation>
    </message>
    <message>
        <source>Number of false positives</source>
        <translation>假正例数</translation>
    </message>
    <message>
        <source>Number of false negatives</source>
        <translation>假负例数</translation>
    </message>
    <message>
        <source>Best sensitivity at a specificity of at least the given value</source>
        <translation>特异度不低于给定值时的最佳灵敏度</translation>
    </message>
    <message>
        <source>Minimum fraction of negatives that are recognized</source>
        <translation>负例被正确识别的最低比例</translation>
    </message>
    <message>
        <source>Best specificity at a sensitivity of at least the given value</source>
        <translation>灵敏度不低于给定值时的最佳特异度</translation>
    </message>
    <message>
        <source>Minimum fraction of positives that are found</source>
        <translation>正例被正确识别的最低比例</translation>
    </message>
    <message>
        <source>Best precision at a recall of at least the given value</source>
        <translation>召回率不低于给定值时的最佳精确率</translation>
    </message>
    <message>
        <source>Best recall at a precision of at least the given value</source>
        <translation>精确率不低于给定值时的最佳召回率</translation>
    </message>
    <message>
        <source>Minimum fraction of predicted positives that are correct</source>
        <translation>预测为正例的样本中预测正确的最低比例</translation>
    </message>
    <message>
        <source>ROC: recall against false positive rate; PR: precision against recall; PRGAIN: precision gain against recall gain</source>
        <translation>ROC：召回率随假正例率变化的曲线；PR：精确率随召回率变化的曲线；PRGAIN：精确率增益随召回率增益变化的曲线</translation>
    </message>
    <message>
        <source>How values between two points of the curve are determined: by interpolation, or as the lower or higher of the two</source>
        <translation>曲线两点之间取值的确定方式：插值、取较低值或取较高值</translation>
    </message>
    <message>
        <source>Area under the ROC or precision-recall curve; 1: perfect</source>
        <translation>ROC 曲线或精确率-召回率曲线下的面积；1 为最佳</translation>
    </message>
    <message>
        <source>Thresholds to use instead of evenly spaced ones</source>
        <translation>用这些阈值代替均匀分布的阈值</translation>
    </message>
    <message>
        <source>Multi-label</source>
        <translation>多标签</translation>
    </message>
    <message>
        <source>Computes one area per output and averages them</source>
        <translation>为每个输出计算面积，再取平均</translation>
    </message>
    <message>
        <source>Number of labels</source>
        <translation>标签数</translation>
    </message>
    <message>
        <source>Number of outputs; determined from the network</source>
        <translation>输出个数；由网络确定</translation>
    </message>
    <message>
        <source>Weights of the outputs when the areas are averaged</source>
        <translation>对面积求平均时各输出的权重</translation>
    </message>
    <message>
        <source>Harmonic mean of precision and recall</source>
        <translation>精确率和召回率的调和平均</translation>
    </message>
    <message>
        <source>Weighted harmonic mean of precision and recall; recall counts beta times as much</source>
        <translation>精确率和召回率的加权调和平均，召回率的重要性为 beta 倍</translation>
    </message>
    <message>
        <source>Number of largest outputs to consider</source>
        <translation>参与判断的最大输出的个数</translation>
    </message>
    <message>
        <source>Fraction of samples whose target class is among the k largest outputs</source>
        <translation>前 k 个最大输出中包含目标类别的样本比例</translation>
    </message>
    <message>
        <source>Fraction of samples whose class with the largest target is among the k largest outputs</source>
        <translation>前 k 个最大输出中包含目标值最大的类别的样本比例</translation>
    </message>
    <message>
        <source>Square root of the mean squared difference</source>
        <translation>均方误差的平方根</translation>
    </message>
    <message>
        <source>How the scores of the outputs are combined; none: one score per output</source>
        <translation>各输出得分的合并方式；无：每个输出一个得分</translation>
    </message>
    <message>
        <source>Fraction of the variance of the targets that the outputs explain</source>
        <translation>目标方差中由输出解释的比例</translation>
    </message>
    <message>
        <source>Number of regressors for the adjusted score; 0: not adjusted</source>
        <translation>计算校正得分所用的自变量个数；0：不校正</translation>
    </message>
    <message>
        <source>Cosine similarity of outputs and targets; 1: same direction, -1: opposite direction</source>
        <translation>输出与目标的余弦相似度；1：方向相同，-1：方向相反</translation>
    </message>
    <message>
        <source>Exponential of the mean cross-entropy</source>
        <translation>平均交叉熵的指数函数值</translation>
    </message>
    <message>
        <source>Number of classes; default: as many as the network has</source>
        <translation>类别数；默认与网络的类别数相同</translation>
    </message>
    <message>
        <source>Classes to include</source>
        <translation>要计入的类别</translation>
    </message>
    <message>
        <source>Classes included in the mean; none: all</source>
        <translation>计入平均值的类别；无：全部</translation>
    </message>
    <message>
        <source>Accepted for compatibility with Keras; determined from the shapes</source>
        <translation>仅为兼容 Keras 而保留；实际值由形状确定</translation>
    </message>
    <message>
        <source>Mean intersection over union (IoU) of the classes</source>
        <translation>各类别交并比（IoU）的平均值</translation>
    </message>
    <message>
        <source>Targets are class numbers</source>
        <translation>目标为类别编号</translation>
    </message>
    <message>
        <source>Outputs are class numbers</source>
        <translation>输出为类别编号</translation>
    </message>
    <message>
        <source>Outputs of at least this value are positive</source>
        <translation>大于或等于该值的输出为正例</translation>
    </message>
    <message>
        <source>Variables whose names contain one of these words are not decayed, for example bias</source>
        <translation>名称含有这些词之一的变量不做权重衰减，例如 bias</translation>
    </message>
    <message>
        <source>Exclude from decay</source>
        <translation>不衰减的变量</translation>
    </message>
    <message>
        <source>Keeps a moving average of the weights, which a finished run saves as its weights</source>
        <translation>维护权重的滑动平均，并在运行完成时将其保存为权重</translation>
    </message>
    <message>
        <source>Decay rate of the moving average; values closer to 1 make it change more slowly</source>
        <translation>滑动平均的衰减率；越接近 1，变化越慢</translation>
    </message>
    <message>
        <source>Overwrite weights every (steps)</source>
        <translation>覆盖权重的间隔（步）</translation>
    </message>
    <message>
        <source>Number of steps after which the average replaces the weights; none: only at the end</source>
        <translation>每隔多少步用平均值替换权重；无：仅在结束时</translation>
    </message>
    <message>
        <source>Variables whose names contain one of these words use Adam</source>
        <translation>名称含有这些词之一的变量使用 Adam</translation>
    </message>
    <message>
        <source>Variables that use Adam</source>
        <translation>使用 Adam 的变量</translation>
    </message>
    <message>
        <source>Coefficient of the polynomial that orthogonalizes the update</source>
        <translation>使更新量正交化的多项式的系数</translation>
    </message>
    <message>
        <source>Adam weight decay</source>
        <translation>Adam 的权重衰减</translation>
    </message>
    <message>
        <source>Weight decay of the variables that use Adam</source>
        <translation>使用 Adam 的变量的权重衰减</translation>
    </message>
    <message>
        <source>Use Adam for embeddings</source>
        <translation>嵌入使用 Adam</translation>
    </message>
    <message>
        <source>Variables with embedding in their name use Adam</source>
        <translation>名称含有 embedding 的变量使用 Adam</translation>
    </message>
    <message>
        <source>Adam learning rate factor</source>
        <translation>Adam 学习率系数</translation>
    </message>
    <message>
        <source>Factor by which the learning rate is multiplied for variables that use Adam</source>
        <translation>使用 Adam 的变量，其学习率乘以该系数</translation>
    </message>
    <message>
        <source>Number of iterations that orthogonalize the update</source>
        <translation>使更新量正交化的迭代次数</translation>
    </message>
    <message>
        <source>Variant of Adam that divides by the largest gradient instead of the root mean square</source>
        <translation>Adam 的变体：除以最大梯度，而不是均方根</translation>
    </message>
    <message>
        <source>Adapts the step size to the size of recent updates and gradients</source>
        <translation>根据近期更新量和梯度的大小调整步长</translation>
    </message>
    <message>
        <source>Learning rate power</source>
        <translation>学习率的幂次</translation>
    </message>
    <message>
        <source>Exponent with which the learning rate falls as the sum of squared gradients grows; 0: constant</source>
        <translation>学习率随梯度平方和增大而下降，此为下降的指数；0：保持不变</translation>
    </message>
    <message>
        <source>Follow the regularized leader: unimportant weights become zero</source>
        <translation>FTRL（Follow the Regularized Leader）：使不重要的权重变为零</translation>
    </message>
    <message>
        <source>Penalty on the absolute values of the weights</source>
        <translation>权重绝对值惩罚的系数</translation>
    </message>
    <message>
        <source>Penalty on the squares of the weights</source>
        <translation>权重平方惩罚的系数</translation>
    </message>
    <message>
        <source>Penalty on the squares of the weights, added to the gradient only</source>
        <translation>权重平方惩罚的系数；惩罚项只计入梯度</translation>
    </message>
    <message>
        <source>Reduces the size of the first updates</source>
        <translation>减小最初几次更新的更新量</translation>
    </message>
    <message>
        <source>Updates every weight by the same step size, using only the sign of the mean gradient</source>
        <translation>只使用平均梯度的符号，以相同的步长更新各权重</translation>
    </message>
    <message>
        <source>Variant of Adam that scales each update by the norm of the variable&apos;s weights; for large batches</source>
        <translation>Adam 的变体：按各变量权重的范数缩放更新量；适用于大批量</translation>
    </message>
    <message>
        <source>Saves memory by keeping mean squares of rows and columns instead of individual weights</source>
        <translation>只保存各行和各列的均方，而不是每个权重的均方，以节省内存</translation>
    </message>
    <message>
        <source>Exponent of the step number with which the weight of new squared gradients falls</source>
        <translation>新的梯度平方所占的权重随步数下降，此为步数的指数</translation>
    </message>
    <message>
        <source>Small constant added to the squared gradients</source>
        <translation>加到梯度平方上的小常数</translation>
    </message>
    <message>
        <source>Lower bound of the root mean square of the weights, by which updates are scaled</source>
        <translation>权重均方根的下限；更新量按权重的均方根缩放</translation>
    </message>
    <message>
        <source>Maximum root mean square of an update before it is multiplied by the learning rate</source>
        <translation>更新量（乘以学习率之前）的均方根上限</translation>
    </message>
    <message>
        <source>Limits the learning rate to 1 / sqrt(step); Keras always applies this limit</source>
        <translation>将学习率限制在 1 / sqrt(步数) 以内；Keras 始终应用此限制</translation>
    </message>
    <message>
        <source>Orthogonalized updates for matrices, Adam for all other variables</source>
        <translation>对矩阵使用正交化的更新，对其他变量使用 Adam</translation>
    </message>
    <message>
        <source>Momentum with a learning rate that is scaled by the norm of each variable&apos;s weights; for large batches</source>
        <translation>按各变量权重的范数缩放学习率的动量法；适用于大批量</translation>
    </message>
    <message>
        <source>Trust coefficient</source>
        <translation>信任系数</translation>
    </message>
    <message>
        <source>Ratio of the norm of an update to the norm of the weights; biases use the unscaled learning rate</source>
        <translation>更新量的范数与权重范数之比；偏置使用未缩放的学习率</translation>
    </message>
    <message>
        <source>Number of steps that the decay lasts</source>
        <translation>衰减持续的步数</translation>
    </message>
    <message>
        <source>Lowers the learning rate once per decay period instead of continuously</source>
        <translation>每个衰减周期只降低一次学习率，而不是连续降低</translation>
    </message>
    <message>
        <source>Minimum learning rate as a fraction of the learning rate at the start of the decay</source>
        <translation>最小学习率与衰减开始时学习率之比</translation>
    </message>
    <message>
        <source>Multiplies the learning rate by the same factor in each decay period</source>
        <translation>每经过一个衰减周期，将学习率乘以同一系数</translation>
    </message>
    <message>
        <source>A constant learning rate for each interval of steps</source>
        <translation>每个步数区间使用固定的学习率</translation>
    </message>
    <message>
        <source>Last step of each interval except the final one, in increasing order</source>
        <translation>除最后一个区间外，各区间的最后一步，按递增顺序排列</translation>
    </message>
    <message>
        <source>Learning rates of the intervals; one value more than boundaries</source>
        <translation>各区间的学习率，比分界点多一个</translation>
    </message>
    <message>
        <source>Decays to the end learning rate along a polynomial</source>
        <translation>沿多项式曲线下降到最终学习率</translation>
    </message>
    <message>
        <source>Exponent of the polynomial; 1: a straight line</source>
        <translation>多项式的指数；1：直线</translation>
    </message>
    <message>
        <source>Starts a new decay each time one ends</source>
        <translation>每次衰减结束后重新开始衰减</translation>
    </message>
    <message>
        <source>Decays in inverse proportion to the number of steps</source>
        <translation>与步数成反比下降</translation>
    </message>
    <message>
        <source>Decays along half a cosine wave, after an optional warm-up</source>
        <translation>沿半个余弦周期下降，之前可先预热</translation>
    </message>
    <message>
        <source>Learning rate at the end of the warm-up; none: no warm-up</source>
        <translation>预热结束时的学习率；无：不预热</translation>
    </message>
    <message>
        <source>Number of steps during which the learning rate rises</source>
        <translation>学习率上升的步数</translation>
    </message>
    <message>
        <source>Repeated half cosine waves; each can be longer and lower than the previous one</source>
        <translation>重复的半余弦周期；每个周期可以比前一个更长、更低</translation>
    </message>
    <message>
        <source>Number of steps of the first cycle</source>
        <translation>第一个周期的步数</translation>
    </message>
    <message>
        <source>Cycle length factor</source>
        <translation>周期长度倍数</translation>
    </message>
    <message>
        <source>Length of each cycle as a multiple of the previous one</source>
        <translation>每个周期的长度与前一周期长度之比</translation>
    </message>
    <message>
        <source>Cycle learning rate factor</source>
        <translation>周期学习率系数</translation>
    </message>
    <message>
        <source>Initial learning rate of each cycle as a fraction of that of the previous cycle</source>
        <translation>每个周期的起始学习率与前一周期起始学习率之比</translation>
    </message>
    <message>
        <source>Multiplies the learning rate by a factor at regular intervals</source>
        <translation>按固定间隔将学习率乘以一个系数</translation>
    </message>
    <message>
        <source>Number of steps between two reductions of the learning rate</source>
        <translation>两次降低学习率之间的步数</translation>
    </message>
    <message>
        <source>Factor by which each reduction multiplies the learning rate</source>
        <translation>每次降低时，学习率乘以该系数</translation>
    </message>
    <message>
        <source>One cycle: rises to the maximum learning rate, then falls far below the initial one</source>
        <translation>单个周期：先升到最大学习率，再降到远低于初始学习率</translation>
    </message>
    <message>
        <source>Maximum learning rate</source>
        <translation>最大学习率</translation>
    </message>
    <message>
        <source>Highest learning rate of the cycle</source>
        <translation>周期中的最高学习率</translation>
    </message>
    <message>
        <source>Number of steps of the cycle; afterwards the final learning rate is kept</source>
        <translation>周期的步数；之后保持最终的学习率</translation>
    </message>
    <message>
        <source>Rising fraction</source>
        <translation>上升阶段的比例</translation>
    </message>
    <message>
        <source>Fraction of the steps during which the learning rate rises</source>
        <translation>学习率上升阶段占总步数的比例</translation>
    </message>
    <message>
        <source>Shape of rise and fall: half a cosine wave or a straight line</source>
        <translation>升降曲线的形状：半个余弦周期或直线</translation>
    </message>
    <message>
        <source>Annealing</source>
        <translation>退火方式</translation>
    </message>
    <message>
        <source>The initial learning rate is the maximum divided by this value</source>
        <translation>初始学习率等于最大学习率除以该值</translation>
    </message>
    <message>
        <source>The final learning rate is the initial one divided by this value</source>
        <translation>最终学习率等于初始学习率除以该值</translation>
    </message>
    <message>
        <source>The learning rate falls back to its initial value as fast as it rose, then below it</source>
        <translation>学习率以上升时的速度降回初始值，再继续下降</translation>
    </message>
    <message>
        <source>After the warm-up</source>
        <translation>预热之后</translation>
    </message>
    <message>
        <source>Learning rate or schedule after the warm-up</source>
        <translation>预热之后的学习率或调度</translation>
    </message>
    <message>
        <source>Linear warm-up before any other schedule</source>
        <translation>在其他调度之前进行线性预热</translation>
    </message>
    <message>
        <source>Value to monitor: loss or the name of a metric, with the prefix val_ for validation</source>
        <translation>要监控的值：loss 或某个指标的名称；验证值加前缀 val_</translation>
    </message>
    <message>
        <source>Monitored value</source>
        <translation>监控的值</translation>
    </message>
    <message>
        <source>min: smaller is better; max: larger is better; auto: depends on the metric</source>
        <translation>min：越小越好；max：越大越好；auto：取决于指标</translation>
    </message>
    <message>
        <source>Minimum improvement</source>
        <translation>最小改进量</translation>
    </message>
    <message>
        <source>Smaller improvements are ignored</source>
        <translation>小于该值的改进会被忽略</translation>
    </message>
    <message>
        <source>Stops training when the monitored value has stopped improving</source>
        <translation>监控的值不再改进时停止训练</translation>
    </message>
    <message>
        <source>Number of epochs without improvement before the callback acts</source>
        <translation>连续多少轮没有改进后触发该回调</translation>
    </message>
    <message>
        <source>The monitored value must be better than this value to reset the patience</source>
        <translation>监控的值必须优于该值，才会重新计算容忍轮数</translation>
    </message>
    <message>
        <source>Restore best weights</source>
        <translation>恢复最佳权重</translation>
    </message>
    <message>
        <source>Restores the weights of the best epoch at the end of the run</source>
        <translation>运行结束时恢复效果最好的一轮的权重</translation>
    </message>
    <message>
        <source>Start after epoch</source>
        <translation>在第几轮之后开始</translation>
    </message>
    <message>
        <source>Number of epochs at the start of training that are not monitored</source>
        <translation>训练开始时不监控的轮数</translation>
    </message>
    <message>
        <source>Factor by which the learning rate is multiplied</source>
        <translation>每次降低时，学习率乘以该系数</translation>
    </message>
    <message>
        <source>Reduces the learning rate when the monitored value has stopped improving</source>
        <translation>监控的值不再改进时降低学习率</translation>
    </message>
    <message>
        <source>Cooldown</source>
        <translation>冷却轮数</translation>
    </message>
    <message>
        <source>Number of epochs to wait after the learning rate was reduced before monitoring resumes</source>
        <translation>降低学习率后，恢复监控之前等待的轮数</translation>
    </message>
    <message>
        <source>Minimum learning rate</source>
        <translation>最小学习率</translation>
    </message>
    <message>
        <source>Lower bound of the learning rate</source>
        <translation>学习率的下限</translation>
    </message>
    <message>
        <source>Save every</source>
        <translation>保存间隔</translation>
    </message>
    <message>
        <source>Number of steps between two checkpoints; epoch: at the end of each epoch</source>
        <translation>两个检查点之间的步数；epoch：每轮结束时</translation>
    </message>
    <message>
        <source>Checkpoints to keep</source>
        <translation>保留的检查点数</translation>
    </message>
    <message>
        <source>Number of newest checkpoints to keep; none: all</source>
        <translation>要保留的最新检查点的个数；无：全部保留</translation>
    </message>
    <message>
        <source>Saves checkpoints of the run, and the best weights as best.safetensors</source>
        <translation>保存运行的检查点，并将最佳权重存为 best.safetensors</translation>
    </message>
    <message>
        <source>Save best only</source>
        <translation>仅保存最佳</translation>
    </message>
    <message>
        <source>Saves a checkpoint only when the monitored value is the best so far</source>
        <translation>仅当监控的值达到目前最佳时才保存检查点</translation>
    </message>
    <message>
        <source>Only values better than this count as the best</source>
        <translation>只有优于该值才算最佳</translation>
    </message>
    <message>
        <source>Save every (minutes)</source>
        <translation>保存间隔（分钟）</translation>
    </message>
    <message>
        <source>Minutes of training between additional checkpoints</source>
        <translation>每训练多少分钟额外保存一个检查点</translation>
    </message>
    <message>
        <source>Best checkpoints to keep</source>
        <translation>保留的最佳检查点数</translation>
    </message>
    <message>
        <source>Number of checkpoints with the best monitored values to keep in addition to the newest ones</source>
        <translation>除最新的检查点外，额外保留多少个监控值最佳的检查点</translation>
    </message>
    <message>
        <source>Stops training when the loss is NaN or infinite; every run does this and names the first affected layer</source>
        <translation>损失为 NaN 或无穷大时停止训练；每次运行都会执行此检查，并指出最先受影响的层</translation>
    </message>
    <message>
        <source>CTC loss for sequences of labels without positions; outputs are logits for each step, class 0 is the blank, targets are padded with 0</source>
        <translation>CTC 损失，用于没有位置信息的标签序列；输出为每一步的 logits，类别 0 为空白，目标以 0 填充</translation>
    </message>
    <message>
        <source>Pearson correlation of the outputs and targets of a sample, from -1 to 1</source>
        <translation>每个样本的输出与目标的皮尔逊相关系数，范围为 -1 到 1</translation>
    </message>
    <message>
        <source>Concordance correlation: Pearson correlation that also penalizes differences in mean and scale; 1: identical</source>
        <translation>一致性相关系数：在皮尔逊相关系数的基础上，还会惩罚均值和尺度的差异；1：完全相同</translation>
    </message>
    <message>
        <source>Number of steps in an epoch; the next epoch continues with the data where this one ended; none: one pass over the data</source>
        <translation>一轮的步数；下一轮从本轮结束处的数据继续；无：遍历一次数据</translation>
    </message>
    <message>
        <source>Number of epochs between validations, or a list of epochs</source>
        <translation>两次验证之间的轮数，或需要验证的轮次列表</translation>
    </message>
    <message>
        <source>Validate every (epochs)</source>
        <translation>验证间隔（轮）</translation>
    </message>
    <message>
        <source>Number of steps between additional validations; none: only at the end of epochs</source>
        <translation>两次额外验证之间的步数；无：仅在每轮结束时验证</translation>
    </message>
    <message>
        <source>Validate every (steps)</source>
        <translation>验证间隔（步）</translation>
    </message>
    <message>
        <source>A setting that changes at a step of the run</source>
        <translation>在运行的某一步更改的设置</translation>
    </message>
    <message>
        <source>First update that uses the new value</source>
        <translation>首次使用新值的更新</translation>
    </message>
    <message>
        <source>New value; 0: turns off clipping or weight decay</source>
        <translation>新的值；0：关闭裁剪或权重衰减</translation>
    </message>
    <message>
        <source>Learning rate or schedule from the first step of the stage; none: unchanged</source>
        <translation>从该阶段第一步起使用的学习率或调度；无：保持不变</translation>
    </message>
    <message>
        <source>Name of the stage</source>
        <translation>阶段的名称</translation>
    </message>
    <message>
        <source>A phase of training in which some layers are trained and the others are frozen</source>
        <translation>一个训练阶段：部分层参与训练，其余层冻结</translation>
    </message>
    <message>
        <source>Number of epochs; the last stage lasts until the end of training</source>
        <translation>轮数；最后一个阶段持续到训练结束</translation>
    </message>
    <message>
        <source>Number of steps instead of epochs</source>
        <translation>以步数代替轮数</translation>
    </message>
    <message>
        <source>Trainable layers</source>
        <translation>可训练的层</translation>
    </message>
    <message>
        <source>Layers that are trained, while all others are frozen; none: as set in each layer</source>
        <translation>参与训练的层，其余层全部冻结；无：按各层的设置</translation>
    </message>
    <message>
        <source>Layers to freeze in addition to those that are not trainable</source>
        <translation>除不可训练的层之外，另外冻结的层</translation>
    </message>
    <message>
        <source>Reset optimizer</source>
        <translation>重置优化器</translation>
    </message>
    <message>
        <source>Resets the state of the optimizer at the start of the stage</source>
        <translation>在阶段开始时重置优化器的状态</translation>
    </message>
    <message>
        <source>Actions during training: stop early, reduce the learning rate, keep the best weights</source>
        <translation>训练期间的操作：提前停止、降低学习率、保留最佳权重</translation>
    </message>
    <message>
        <source>Consecutive phases of training that train different layers</source>
        <translation>依次进行的训练阶段，各阶段训练不同的层</translation>
    </message>
    <message>
        <source>Settings that change at a given step</source>
        <translation>在指定的步更改的设置</translation>
    </message>
    <message>
        <source>Device that runs the training</source>
        <translation>用于训练的设备</translation>
    </message>
    <message>
        <source>Weight of positives if class balancing is on; negatives have the weight 1 - alpha</source>
        <translation>启用类别平衡时正例的权重；负例的权重为 1 - alpha</translation>
    </message>
    <message>
        <source>Relaxation of the target similarities, which are 1 within a class and 0 between classes</source>
        <translation>对目标相似度的放宽量；目标相似度在同类样本之间为 1，在异类样本之间为 0</translation>
    </message>
    <message>
        <source>How much farther samples of other classes must be than samples of the same class</source>
        <translation>其他类别的样本应比同类样本至少远出的距离</translation>
    </message>
    <message>
        <source>Fraction of the accumulated gradients that is kept at each step</source>
        <translation>每一步保留的累积梯度的比例</translation>
    </message>
    <message>
        <source>Decay rate of the running maximum of absolute gradients</source>
        <translation>梯度绝对值滑动最大值的衰减率</translation>
    </message>
    <message>
        <source>Weight of the running mean of gradients in an update; the current gradient has the weight 1 - beta_1</source>
        <translation>梯度滑动平均在更新量中的权重；当前梯度的权重为 1 - beta_1</translation>
    </message>
    <message>
        <source>Fraction of each weight that is added to its gradient</source>
        <translation>将权重按该比例加到其梯度上</translation>
    </message>
    <message>
        <source>Number of steps in a decay period</source>
        <translation>一个衰减周期的步数</translation>
    </message>
    <message>
        <source>Strength of the decay; after one decay period the learning rate is the initial one divided by 1 + decay rate</source>
        <translation>衰减的强度；经过一个衰减周期后，学习率等于初始学习率除以（1 + 衰减率）</translation>
    </message>
    <message>
        <source>Compute precision</source>
        <translation>计算精度</translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation>损失缩放</translation>
    </message>
    <message>
        <source>Factor of the loss&apos;s gradient in float16, so that small gradients do not become 0; default: dynamic, which halves it and skips the step if a gradient overflows</source>
        <translation>float16 下损失梯度的倍数，以免小梯度变为 0；默认：动态，若梯度溢出则将其减半并跳过该步</translation>
    </message>
    <message>
        <source>Numbers of products, convolutions, attention and activations; tf32 rounds operands of products on NVIDIA GPUs; bfloat16 and float16 halve the memory of activations; weights and losses are always float32</source>
        <translation>乘积、卷积、注意力和激活所用的数；tf32 在 NVIDIA GPU 上舍入乘积的操作数；bfloat16 和 float16 使激活的内存减半；权重和损失始终为 float32</translation>
    </message>
    <message>
        <source>Number of thresholds, evenly spaced between 0 and 1; exact: compares all outputs of an evaluation with each other, which needs 12 bytes for each output of each sample</source>
        <translation>在 0 到 1 之间均匀分布的阈值个数；exact：将一次评估的所有输出相互比较，每个样本的每个输出需要 12 字节</translation>
    </message>
    <message>
        <source>Outputs above this value are positive; none: 0.5 for a single output, sigmoid or a binary loss, otherwise only the largest output of each sample is positive</source>
        <translation>高于此值的输出为正类；none：单个输出、sigmoid 或二元损失时为 0.5，否则只有每个样本的最大输出为正类</translation>
    </message>
    <message>
        <source>Gives the gradient of attention the same bits in each run; without it, NVIDIA GPUs add in any order, which needs less memory and may be faster</source>
        <translation>使注意力的梯度在每次运行中逐位相同；关闭后，NVIDIA GPU 以任意顺序相加，占用内存更少，可能更快</translation>
    </message>
    <message>
        <source>Deterministic attention</source>
        <translation>确定性注意力</translation>
    </message>
    <message>
        <source>With the strategy parameter_server, the largest number of updates between the weights that a worker computes a gradient with, and the update with this gradient; 0: the workers share each batch</source>
        <translation>在策略 parameter_server 下，计算梯度所用的权重与使用该梯度的更新之间最多相隔的更新次数；0：各工作者分担每个批次</translation>
    </message>
    <message>
        <source>Staleness</source>
        <translation>陈旧度</translation>
    </message>
    <message>
        <source>Divides the state of the optimizer among the devices: each one updates a part of the weights, and has the state of this part alone; results have the same bits</source>
        <translation>将优化器的状态分摊到各设备：每个设备更新一部分权重，且只保存这一部分的状态；结果逐位相同</translation>
    </message>
    <message>
        <source>Shard optimizer</source>
        <translation>分摊优化器状态</translation>
    </message>
    <message>
        <source>How the NVIDIA GPUs of several processes add gradients; exact: in the order of the processes, with the bits of one process; fast: in an order that NCCL chooses, so that bits may differ</source>
        <translation>多个进程的 NVIDIA GPU 如何将梯度相加；exact：按进程的顺序，结果与一个进程逐位相同；fast：顺序由 NCCL 选择，因此结果可能不逐位相同</translation>
    </message>
    <message>
        <source>All-reduce</source>
        <translation>全归约（all-reduce）</translation>
    </message>
    <message>
        <source>Number of threads that load batches while steps run; 0: all cores if samples are decoded, else two</source>
        <translation>步运行时加载批的线程数；0：若样本需解码则用全部核，否则用两个</translation>
    </message>
    <message>
        <source>Loader threads</source>
        <translation>加载线程</translation>
    </message>
</context>
</TS>
