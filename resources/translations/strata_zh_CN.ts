<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en_US">
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
</context>
<context>
    <name>ProjectNotes</name>
    <message>
        <source>Blocks: a group of layers is written once and repeated. Each repeat adds a correction to what it was given, so that the network may be deep and still learn.</source>
        <translation>Block：一组层只写一次，然后重复。每次重复都在得到的内容上加一个修正，因此网络可以很深而仍能学习。</translation>
    </message>
    <message>
        <source>The network that read bank cheques in 1998, with today&apos;s activation and optimizer: few parameters, two convolutions, three dense layers.</source>
        <translation>1998 年用来识别银行支票的网络，配上如今的激活函数和优化器：参数很少，两个卷积层，三个全连接层。</translation>
    </message>
    <message>
        <source>The smallest training there is: one weight and one bias learn y = 2x from four points. Both start at zero, so the whole run can be followed with pencil and paper.</source>
        <translation>最小的训练：一个权重和一个偏置从四个点学习 y = 2x。两者都从零开始，因此整个运行可以用纸笔逐步验算。</translation>
    </message>
    <message>
        <source>Recognizes handwritten digits. Convolutions find strokes, pooling makes them coarser, a dense layer decides.</source>
        <translation>识别手写数字。卷积层寻找笔画，池化使其变粗略，全连接层作出判断。</translation>
    </message>
    <message>
        <source>The small one: each step takes microseconds, so the overhead around a step is what it shows.</source>
        <translation>小型网络：每一步只需几微秒，因此它显示的是每步之外的额外开销。</translation>
    </message>
    <message>
        <source>Half the hidden units of mnist-mlp: half the parameters and time, almost the same accuracy.</source>
        <translation>隐藏单元是 mnist-mlp 的一半：参数和时间减半，准确率几乎相同。</translation>
    </message>
    <message>
        <source>A network without convolutions: every pixel is a number of its own. Shows training, validation and evaluation, and how far a wide hidden layer gets.</source>
        <translation>没有卷积的网络：每个像素都是独立的数字。展示训练、验证和评估，以及一个宽的隐藏层能达到的水平。</translation>
    </message>
    <message>
        <source>Made-up data: integers 0 to 19, and the class is the integer itself. One input number must be split into twenty classes, which needs a hidden layer; a straight line cannot do it.</source>
        <translation>生成的数据：0 到 19 的整数，类别就是整数本身。要把一个输入数字分成二十个类别，需要一个隐藏层；一条直线做不到。</translation>
    </message>
    <message>
        <source>A table: which of three species a penguin is, by the island it lives on, its sex and four measures. Some measures are missing; their means stand in for them. Words become one number for each category, numbers are standardized by the training part.</source>
        <translation>表格：根据所栖岛屿、性别和四项测量值判断企鹅属于三个种中的哪一个。有些测量值缺失，以平均值代替。词语变成每个类别一个数，数值按训练部分标准化。</translation>
    </message>
    <message>
        <source>A folder of images, one folder a class: circles, squares and triangles of 16 by 16 grey values. Put your own images into folders like these.</source>
        <translation>图像文件夹，每个类别一个文件夹：16×16 灰度值的圆、正方形和三角形。把您自己的图像放进这样的文件夹即可。</translation>
    </message>
    <message>
        <source>Two Input layers and two outputs: from the measures of its bill, and from its island and sex, which species a penguin is and what it weighs. Each output has its loss; grams are large numbers, so theirs counts a thousandth.</source>
        <translation>两个 Input 层和两个输出：由喙的尺寸以及所在岛屿和性别，判断企鹅属于哪个物种、体重多少。每个输出各有损失；克数很大，因此它的损失按千分之一计。</translation>
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
    <name>RunText</name>
    <message>
        <source>The run failed.</source>
        <translation>运行失败。</translation>
    </message>
    <message>
        <source>Interrupted after step %1. Continue resumes from the last checkpoint.</source>
        <translation>在第 %1 步中断。“继续”会从最近的检查点恢复训练。</translation>
    </message>
    <message>
        <source>Stopped after step %1 and %2. The network is saved.</source>
        <translation>在第 %1 步停止，用时 %2。网络已保存。</translation>
    </message>
    <message numerus="yes">
        <source>Finished %1 step(s) in %2.</source>
        <translation>
            <numerusform>完成 %1 步，用时 %2。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 on %2 new sample(s), %3.</source>
        <translation>
            <numerusform>在 %2 个新样本上达到 %1，用时 %3。</numerusform>
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
        <source>Epoch %1/%2, step %3/%4</source>
        <translation>第 %1/%2 轮，第 %3/%4 步</translation>
    </message>
    <message>
        <source>%1, %2 left, %3 samples/s</source>
        <translation>%1，剩余 %2，每秒 %3 个样本</translation>
    </message>
</context>
<context>
    <name>activation</name>
    <message>
        <source>Dimension that sums to one; the batch is 0, -1 is the last</source>
        <translation>总和为一的维度；0 是批，-1 是最后一维</translation>
    </message>
    <message>
        <source>No activation</source>
        <translation>无激活函数</translation>
    </message>
    <message>
        <source>Negative values become zero</source>
        <translation>负值变为零</translation>
    </message>
    <message>
        <source>Values are cut to 0..6</source>
        <translation>数值截断到 0..6</translation>
    </message>
    <message>
        <source>Negative values keep a small slope</source>
        <translation>负值保留较小的斜率</translation>
    </message>
    <message>
        <source>Slope of negative values</source>
        <translation>负值部分的斜率</translation>
    </message>
    <message>
        <source>Exponential below zero</source>
        <translation>零以下为指数曲线</translation>
    </message>
    <message>
        <source>Value that is approached far below zero, negated</source>
        <translation>远低于零时趋近的值的相反数</translation>
    </message>
    <message>
        <source>ELU scaled so that activations keep mean 0 and variance 1</source>
        <translation>缩放的 ELU，使激活值保持均值 0 和方差 1</translation>
    </message>
    <message>
        <source>x weighted by the normal distribution&apos;s share below it</source>
        <translation>x 乘以标准正态分布在 x 处的累积概率</translation>
    </message>
    <message>
        <source>Hyperbolic tangent, -1..1</source>
        <translation>双曲正切，-1..1</translation>
    </message>
    <message>
        <source>Logistic function, 0..1</source>
        <translation>逻辑函数，0..1</translation>
    </message>
    <message>
        <source>Sigmoid of straight pieces</source>
        <translation>由直线段构成的 sigmoid</translation>
    </message>
    <message>
        <source>x weighted by its sigmoid (swish)</source>
        <translation>x 乘以自身的 sigmoid（swish）</translation>
    </message>
    <message>
        <source>Another name of silu</source>
        <translation>silu 的别名</translation>
    </message>
    <message>
        <source>silu of straight pieces</source>
        <translation>由直线段构成的 silu</translation>
    </message>
    <message>
        <source>Another name of hard_silu</source>
        <translation>hard_silu 的别名</translation>
    </message>
    <message>
        <source>x weighted by the tanh of its softplus</source>
        <translation>x 乘以自身 softplus 的 tanh</translation>
    </message>
    <message>
        <source>A smooth relu</source>
        <translation>平滑的 relu</translation>
    </message>
    <message>
        <source>A slow tanh</source>
        <translation>变化较缓的 tanh</translation>
    </message>
    <message>
        <source>The exponential function</source>
        <translation>指数函数</translation>
    </message>
    <message>
        <source>ELU with a continuous slope</source>
        <translation>斜率连续的 ELU</translation>
    </message>
    <message>
        <source>Values are cut to -1..1</source>
        <translation>数值截断到 -1..1</translation>
    </message>
    <message>
        <source>x less its tanh</source>
        <translation>x 减去自身的 tanh</translation>
    </message>
    <message>
        <source>Small values become zero, large ones come closer to it</source>
        <translation>小的值变为零，大的值向零靠近</translation>
    </message>
    <message>
        <source>Values up to this size become zero</source>
        <translation>不超过此大小的值变为零</translation>
    </message>
    <message>
        <source>Small values become zero</source>
        <translation>小的值变为零</translation>
    </message>
    <message>
        <source>Logarithm of the sigmoid</source>
        <translation>sigmoid 的对数</translation>
    </message>
    <message>
        <source>Probabilities that sum to one</source>
        <translation>总和为一的概率</translation>
    </message>
    <message>
        <source>Logarithms of softmax</source>
        <translation>softmax 的对数</translation>
    </message>
    <message>
        <source>Use tanh in place of the error function</source>
        <translation>用 tanh 代替误差函数</translation>
    </message>
    <message>
        <source>Values up to a number become another</source>
        <translation>不大于某数的值变为另一个数</translation>
    </message>
    <message>
        <source>Values above this stay as they are</source>
        <translation>大于此数的值保持不变</translation>
    </message>
    <message>
        <source>What the others become</source>
        <translation>其余的值变为此数</translation>
    </message>
    <message>
        <source>A smooth relu without exponentials</source>
        <translation>不用指数函数的平滑 relu</translation>
    </message>
    <message>
        <source>How smooth: y is sqrt(b) / 2 at zero</source>
        <translation>平滑程度：在零处 y 为 sqrt(b) / 2</translation>
    </message>
    <message>
        <source>A smooth relu that is zero up to -1</source>
        <translation>在 -1 以下为零的平滑 relu</translation>
    </message>
    <message>
        <source>Values from -1 to 1 become 0 to 1</source>
        <translation>把 -1 到 1 的值变为 0 到 1</translation>
    </message>
    <message>
        <source>Half of the values, each weighted by the sigmoid of one of the other half</source>
        <translation>取一半的值，各乘以另一半对应值的 sigmoid</translation>
    </message>
    <message>
        <source>Dimension that is halved; the batch is 0, -1 is the last</source>
        <translation>被减半的维度；批量为 0，-1 为最后一维</translation>
    </message>
    <message>
        <source>Only the largest values stay above zero, as Keras 3 computes it</source>
        <translation>只有最大的值保持大于零，按 Keras 3 的算法</translation>
    </message>
    <message>
        <source>Dimension whose values are compared; the batch is 0, -1 is the last</source>
        <translation>相互比较的值所在的维度；批量为 0，-1 为最后一维</translation>
    </message>
    <message>
        <source>Slope of what is not above the threshold</source>
        <translation>不大于阈值部分的斜率</translation>
    </message>
    <message>
        <source>Largest value; left out, none</source>
        <translation>最大值；省略则没有</translation>
    </message>
    <message>
        <source>Values above it stay</source>
        <translation>大于它的值保持不变</translation>
    </message>
</context>
<context>
    <name>argument</name>
    <message>
        <source>a list of layers</source>
        <translation>层的列表</translation>
    </message>
    <message>
        <source>a list where a number was</source>
        <translation>数字的位置上是列表</translation>
    </message>
    <message>
        <source>an empty list</source>
        <translation>空列表</translation>
    </message>
    <message>
        <source>a number where a list was</source>
        <translation>列表的位置上是数字</translation>
    </message>
    <message>
        <source>a number beyond float32</source>
        <translation>超出 float32 范围的数</translation>
    </message>
    <message>
        <source>a number with a fraction, or beyond 2147483647</source>
        <translation>带小数的数，或大于 2147483647</translation>
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
        <source>one of its choices</source>
        <translation>可选项之一</translation>
    </message>
    <message>
        <source>an integer or a list of two integers</source>
        <translation>整数或两个整数的列表</translation>
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
        <translation>名称或带有 &quot;type&quot; 的对象</translation>
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
        <source>the step does not fit in memory, so that trial steps could not run</source>
        <translation>训练步超出可用内存，无法试运行</translation>
    </message>
    <message>
        <source>an NVIDIA driver is loaded, but this version of Strata computes on the processor only.</source>
        <translation>已加载 NVIDIA 驱动，但此版本的 Strata 只在处理器上计算。</translation>
    </message>
    <message>
        <source>no NVIDIA driver is loaded, and this version of Strata computes on the processor only.</source>
        <translation>未加载 NVIDIA 驱动，且此版本的 Strata 只在处理器上计算。</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>a number or an object with &quot;type&quot;</source>
        <translation>一个数，或带有 &quot;type&quot; 的对象</translation>
    </message>
    <message>
        <source>a list of strings</source>
        <translation>字符串列表</translation>
    </message>
    <message>
        <source>an integer or a list of three integers</source>
        <translation>一个整数，或三个整数的列表</translation>
    </message>
    <message>
        <source>an integer or a list of integers</source>
        <translation>一个整数，或整数列表</translation>
    </message>
    <message>
        <source>an integer, a list of two integers or a list of two pairs</source>
        <translation>一个整数、两个整数的列表，或两对整数的列表</translation>
    </message>
    <message>
        <source>an integer, a list of three integers or a list of three pairs</source>
        <translation>一个整数、三个整数的列表，或三对整数的列表</translation>
    </message>
    <message>
        <source>an integer or one of its choices</source>
        <translation>整数或其选项之一</translation>
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
        <source>numbers, or lists of numbers of one length</source>
        <translation>数字，或长度相同的数字列表</translation>
    </message>
    <message>
        <source>an object</source>
        <translation>一个对象</translation>
    </message>
    <message>
        <source>the step is too long for trial steps</source>
        <translation>一步耗时过长，不进行试运行</translation>
    </message>
</context>
<context>
    <name>constraint</name>
    <message>
        <source>Axes that a norm runs along: 0 for a Dense, [0, 1, 2] for the filters of a Conv2D</source>
        <translation>范数所沿的轴：Dense 为 0，Conv2D 的滤波器为 [0, 1, 2]</translation>
    </message>
    <message>
        <source>Weights into a unit are shortened to a largest length after each update</source>
        <translation>每次更新后，把进入一个单元的权重缩短到最大长度以内</translation>
    </message>
    <message>
        <source>Largest length</source>
        <translation>最大长度</translation>
    </message>
    <message>
        <source>Weights below zero become zero after each update</source>
        <translation>每次更新后，小于零的权重变为零</translation>
    </message>
    <message>
        <source>Weights into a unit are brought to length 1 after each update</source>
        <translation>每次更新后，把进入一个单元的权重变为长度 1</translation>
    </message>
    <message>
        <source>Weights into a unit are brought towards a range of lengths after each update</source>
        <translation>每次更新后，把进入一个单元的权重拉向给定的长度范围</translation>
    </message>
    <message>
        <source>Smallest length</source>
        <translation>最小长度</translation>
    </message>
    <message>
        <source>How far a length outside is brought back at each step</source>
        <translation>每一步把超出范围的长度拉回多少</translation>
    </message>
</context>
<context>
    <name>data</name>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Test images must have the shape of the training images (expected %1, got %2). Name the matching file.</source>
        <translation>测试图像的形状必须与训练图像相同（应为 %1，实际为 %2）。请指定匹配的文件。</translation>
    </message>
    <message>
        <source>Handwritten digits: 60,000 training and 10,000 test images of 28 by 28 grey values. Bundled.</source>
        <translation>手写数字：60,000 张训练图像和 10,000 张测试图像，28 × 28 灰度值。随程序提供。</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>图像</translation>
    </message>
    <message>
        <source>Training images; relative to the project file.</source>
        <translation>训练图像；路径相对于项目文件。</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Training labels, one whole number a sample.</source>
        <translation>训练标签，每个样本一个整数。</translation>
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
        <source>target &quot;value&quot; makes the integer the label, so kind must be &quot;integer&quot; (got &quot;%1&quot;). Set kind to &quot;integer&quot;.</source>
        <translation>target &quot;value&quot; 以整数本身为标签，因此 kind 必须是 &quot;integer&quot;（实际为 &quot;%1&quot;）。请将 kind 设为 &quot;integer&quot;。</translation>
    </message>
    <message>
        <source>target &quot;value&quot; needs a class for each integer (expected classes of at least %1, got %2). Set classes to %1.</source>
        <translation>target &quot;value&quot; 要求每个整数对应一个类别（classes 至少应为 %1，实际为 %2）。请将 classes 设为 %1。</translation>
    </message>
    <message>
        <source>%1 is missing (expected a list with one entry a sample). Add it.</source>
        <translation>缺少 %1（应为每个样本一项的列表）。请添加。</translation>
    </message>
    <message>
        <source>Made-up numbers: standard-normal inputs or integers, with random classes or the integer itself as label. The test set is a tenth, from the next seed.</source>
        <translation>随机生成的数字：标准正态分布的输入或整数，标签为随机类别或整数本身。测试集为十分之一，使用下一个种子。</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>样本数</translation>
    </message>
    <message>
        <source>How many training samples to make.</source>
        <translation>要生成的训练样本数。</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Shape of one sample, without the batch.</source>
        <translation>单个样本的形状，不含批维度。</translation>
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
        <source>Other numbers for another seed.</source>
        <translation>种子不同，数字也不同。</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>Standard-normal numbers or integers.</source>
        <translation>标准正态分布的数字或整数。</translation>
    </message>
    <message>
        <source>High</source>
        <translation>上界</translation>
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
        <source>A random class, or the integer itself.</source>
        <translation>随机类别，或整数本身。</translation>
    </message>
    <message>
        <source>Samples written in the project itself; they are the test set, too.</source>
        <translation>直接写在项目中的样本；它们同时也是测试集。</translation>
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
        <source>Multiplies each input number and adds an offset.</source>
        <translation>将每个输入数字相乘后再加上偏移。</translation>
    </message>
    <message>
        <source>Scale</source>
        <translation>缩放系数</translation>
    </message>
    <message>
        <source>Factor of every input number; 1/255 brings bytes to 0..1.</source>
        <translation>每个输入数字的系数；1/255 可将字节变换到 0..1。</translation>
    </message>
    <message>
        <source>Offset</source>
        <translation>偏移</translation>
    </message>
    <message>
        <source>Added after the factor.</source>
        <translation>相乘之后加上的数。</translation>
    </message>
    <message>
        <source>The project needs a data source (expected an object with &quot;type&quot;, such as {&quot;type&quot;: &quot;mnist&quot;}). Choose one.</source>
        <translation>项目需要数据源（应为带有 &quot;type&quot; 的对象，例如 {&quot;type&quot;: &quot;mnist&quot;}）。请选择一个。</translation>
    </message>
    <message>
        <source>Unknown data source &quot;%1&quot;. Did you mean &quot;%2&quot;?</source>
        <translation>未知的数据源 &quot;%1&quot;。是否应为 &quot;%2&quot;？</translation>
    </message>
    <message>
        <source>CIFAR-10 or CIFAR-100, binary version: color images of 32 by 32 in 10, 20 or 100 classes.</source>
        <translation>CIFAR-10 或 CIFAR-100 的二进制版本：32×32 的彩色图像，10、20 或 100 个类别。</translation>
    </message>
    <message>
        <source>Of CIFAR-100: 100 fine or 20 coarse classes.</source>
        <translation>用于 CIFAR-100：100 个细类或 20 个粗类。</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>The unpacked folder with its .bin files; relative to the project file.</source>
        <translation>解压后的文件夹，内有 .bin 文件；相对于项目文件。</translation>
    </message>
    <message>
        <source>Column &quot;%1&quot; has %2 different words in %3 rows, so it tells rows apart and nothing else. Put it under ignore.</source>
        <translation>列“%1”在 %3 行中有 %2 个不同的词，只能区分各行，别无用处。请将它放入 ignore。</translation>
    </message>
    <message>
        <source>A table as text: a row a sample, columns of numbers or of words (categories), one or several of them the target.</source>
        <translation>文本表格：一行一个样本，列为数值或词语（类别），其中一列或几列是目标。</translation>
    </message>
    <message>
        <source>Delimiter</source>
        <translation>分隔符</translation>
    </message>
    <message>
        <source>What stands between cells: one character, tab, or auto to see it in the first row.</source>
        <translation>单元格之间的符号：一个字符、tab，或用 auto 从第一行判断。</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>What stands in for missing numbers where missing is value.</source>
        <translation>missing 为 value 时用来代替缺失数值的数。</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>The table; relative to the project file.</source>
        <translation>表格文件；相对于项目文件。</translation>
    </message>
    <message>
        <source>Test file</source>
        <translation>测试文件</translation>
    </message>
    <message>
        <source>A table of the same columns to test on.</source>
        <translation>列相同、用于测试的表格。</translation>
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
        <source>Names of columns that are left out.</source>
        <translation>不使用的列名。</translation>
    </message>
    <message>
        <source>Categorical</source>
        <translation>类别列</translation>
    </message>
    <message>
        <source>Names of columns whose numbers are categories; columns of words are that anyway.</source>
        <translation>其数值表示类别的列名；词语列本来就是类别。</translation>
    </message>
    <message>
        <source>Categories</source>
        <translation>类别编码</translation>
    </message>
    <message>
        <source>one_hot: a number for each category; integer: its place from 1, for an Embedding; 0 is an unknown one.</source>
        <translation>one_hot：每个类别一个数；integer：从 1 起的序号，供 Embedding 使用；0 表示未知类别。</translation>
    </message>
    <message>
        <source>Missing values</source>
        <translation>缺失值</translation>
    </message>
    <message>
        <source>Words for missing</source>
        <translation>表示缺失的词</translation>
    </message>
    <message>
        <source>Cells that count as missing, beside empty ones.</source>
        <translation>除空单元格外，也算作缺失的内容。</translation>
    </message>
    <message>
        <source>Header</source>
        <translation>表头</translation>
    </message>
    <message>
        <source>Whether the first row holds names; auto: words above numbers do.</source>
        <translation>第一行是否为列名；auto：数值上方是词语时即为列名。</translation>
    </message>
    <message>
        <source>Decimal sign</source>
        <translation>小数点</translation>
    </message>
    <message>
        <source>The sign before the fraction of a number.</source>
        <translation>数的小数部分前的符号。</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>A test set needs test_images and test_labels (got one of them). Name both or none.</source>
        <translation>测试集需要 test_images 和 test_labels（只给出了一个）。请两个都写，或都不写。</translation>
    </message>
    <message>
        <source>Image size</source>
        <translation>图像尺寸</translation>
    </message>
    <message>
        <source>[height, width] that each image is brought to; null: the size of the first.</source>
        <translation>每幅图像缩放到的 [高, 宽]；null：第一幅图像的尺寸。</translation>
    </message>
    <message>
        <source>Colors</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>1, 3 or 4 channels, whatever the files hold.</source>
        <translation>1、3 或 4 个通道，不论文件中是什么。</translation>
    </message>
    <message>
        <source>Crop</source>
        <translation>裁剪</translation>
    </message>
    <message>
        <source>Images of other proportions lose their borders instead of being stretched.</source>
        <translation>比例不同的图像会被裁去边缘，而不是被拉伸。</translation>
    </message>
    <message>
        <source>Folders that are used, in the order of their class numbers; null: all by name.</source>
        <translation>所用的文件夹，按类别编号的顺序；null：全部，按名称。</translation>
    </message>
    <message>
        <source>The folder with a folder for each class; relative to the project file.</source>
        <translation>其中每个类别有一个文件夹；相对于项目文件。</translation>
    </message>
    <message>
        <source>Test folder</source>
        <translation>测试文件夹</translation>
    </message>
    <message>
        <source>A folder of the same classes to test on.</source>
        <translation>类别相同、用于测试的文件夹。</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>归档</translation>
    </message>
    <message>
        <source>A .npz file; relative to the project file. null: the fields below are .npy files.</source>
        <translation>一个 .npz 文件；相对于项目文件。null：下面各字段是 .npy 文件。</translation>
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
        <source>Which samples of the source train, validate and test, in which order they are cut apart, and what is done with damaged ones.</source>
        <translation>数据源的哪些样本用于训练、验证和测试，按什么顺序划分，以及如何处理损坏的样本。</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>Samples at the beginning that are left out.</source>
        <translation>开头不使用的样本数。</translation>
    </message>
    <message>
        <source>Take</source>
        <translation>取用</translation>
    </message>
    <message>
        <source>How many of the samples behind them are used; null: all.</source>
        <translation>其后使用多少个样本；null：全部。</translation>
    </message>
    <message>
        <source>Mix before the split</source>
        <translation>划分前打乱</translation>
    </message>
    <message>
        <source>A seed by which samples are mixed once, before they are split; null: they stay in order.</source>
        <translation>划分前用该种子将样本打乱一次；null：保持原有顺序。</translation>
    </message>
    <message>
        <source>Test split</source>
        <translation>测试划分</translation>
    </message>
    <message>
        <source>The last part of the samples, kept to test at the end; for sources without a test set.</source>
        <translation>样本的最后一部分，留作最后测试；用于没有测试集的数据源。</translation>
    </message>
    <message>
        <source>Validation split</source>
        <translation>验证划分</translation>
    </message>
    <message>
        <source>The last part of the other samples, kept to validate after each epoch.</source>
        <translation>其余样本的最后一部分，留作每个周期后的验证。</translation>
    </message>
    <message>
        <source>Damaged samples</source>
        <translation>损坏的样本</translation>
    </message>
    <message>
        <source>stop: they are an error; skip: they are left out; replace: the nearest good sample before them stands in.</source>
        <translation>stop：视为错误；skip：略去；replace：用其前面最近的完好样本代替。</translation>
    </message>
    <message>
        <source>Unknown data source &quot;%1&quot; (expected one of: %2). Choose one.</source>
        <translation>未知的数据源“%1”（应为其中之一：%2）。请选择一个。</translation>
    </message>
    <message>
        <source>%1: %2 Mend it, or set on_damaged to skip or replace.</source>
        <translation>%1：%2 请修复它，或将 on_damaged 设为 skip 或 replace。</translation>
    </message>
    <message>
        <source>%1: %2 It is left out.</source>
        <translation>%1：%2 已略去。</translation>
    </message>
    <message>
        <source>%1: %2 The nearest good sample stands in for it.</source>
        <translation>%1：%2 由最近的完好样本代替。</translation>
    </message>
    <message>
        <source>%1 more damaged samples (in all %2).</source>
        <translation>还有 %1 个损坏的样本（共 %2 个）。</translation>
    </message>
    <message>
        <source>%1 of the classes (&quot;%2&quot;) are in the validation or test part alone, so they cannot be learned: the samples lie in order. Set split_seed of data to 1, so that they are mixed before they are split.</source>
        <translation>有 %1 个类别（“%2”）只出现在验证或测试部分，因此无法学到：样本是按顺序排列的。请将数据的 split_seed 设为 1，使样本在划分前被打乱。</translation>
    </message>
    <message>
        <source>%1</source>
        <translation>%1</translation>
    </message>
    <message>
        <source>The source has a test set of its own of %1 samples (expected test_split 0). Remove test_split.</source>
        <translation>数据源自带 %1 个样本的测试集（test_split 应为 0）。请去掉 test_split。</translation>
    </message>
    <message>
        <source>one_hot needs class numbers below its classes as targets (expected at least %1 classes, got %2). Set classes to null.</source>
        <translation>one_hot 需要小于其类别数的类别编号作为目标（应至少有 %1 个类别，得到 %2）。请将 classes 设为 null。</translation>
    </message>
    <message>
        <source>Axis</source>
        <translation>轴</translation>
    </message>
    <message>
        <source>-1: each column or channel has numbers of its own; null: one for all.</source>
        <translation>-1：每列或每个通道各有自己的数；null：全部共用。</translation>
    </message>
    <message>
        <source>How many numbers a label becomes; null: as many as the data has classes.</source>
        <translation>一个标签变成多少个数；null：与数据的类别数相同。</translation>
    </message>
    <message>
        <source>Epsilon</source>
        <translation>Epsilon</translation>
    </message>
    <message>
        <source>Columns that vary by less are only moved, not scaled.</source>
        <translation>变化小于该值的列只平移，不缩放。</translation>
    </message>
    <message>
        <source>Brings each column or channel to mean 0 and deviation 1, as the training part alone has them.</source>
        <translation>使每列或每个通道的平均值为 0、标准差为 1，只按训练部分计算。</translation>
    </message>
    <message>
        <source>Brings what each column or channel has in the training part to low..high.</source>
        <translation>将每列或每个通道在训练部分的取值变换到 low..high。</translation>
    </message>
    <message>
        <source>Low</source>
        <translation>下限</translation>
    </message>
    <message>
        <source>What the smallest becomes.</source>
        <translation>最小值变成的数。</translation>
    </message>
    <message>
        <source>What the largest becomes.</source>
        <translation>最大值变成的数。</translation>
    </message>
    <message>
        <source>Keeps each input number within minimum..maximum.</source>
        <translation>将每个输入数限制在 minimum..maximum 之内。</translation>
    </message>
    <message>
        <source>Minimum</source>
        <translation>最小值</translation>
    </message>
    <message>
        <source>Smaller numbers become this.</source>
        <translation>更小的数变成该值。</translation>
    </message>
    <message>
        <source>Maximum</source>
        <translation>最大值</translation>
    </message>
    <message>
        <source>Larger numbers become this.</source>
        <translation>更大的数变成该值。</translation>
    </message>
    <message>
        <source>Shrinks large numbers: the logarithm of 1 + |x| with the sign of x.</source>
        <translation>压缩大的数：1 + |x| 的对数，符号与 x 相同。</translation>
    </message>
    <message>
        <source>Makes a label one number for each class, 1 at its own: targets of categorical_crossentropy.</source>
        <translation>将标签变成每个类别一个数，自己的类别为 1：categorical_crossentropy 的目标。</translation>
    </message>
    <message>
        <source>Unknown transform &quot;%1&quot; (expected one of: %2). Choose one, or remove this one.</source>
        <translation>未知的变换“%1”（应为其中之一：%2）。请选择一个，或去掉它。</translation>
    </message>
    <message>
        <source>Unknown transform &quot;%1&quot;. Did you mean &quot;%2&quot;?</source>
        <translation>未知的变换“%1”。您是指“%2”吗？</translation>
    </message>
    <message>
        <source>maximum must be greater than minimum (expected more than %1, got %2). Correct it.</source>
        <translation>maximum 必须大于 minimum（应大于 %1，得到 %2）。请更正。</translation>
    </message>
    <message>
        <source>%1 samples of %2 are more than any memory holds. Give fewer or smaller ones.</source>
        <translation>%1 个 %2 的样本超出任何内存所能容纳。请减少样本数或缩小样本。</translation>
    </message>
    <message>
        <source>%1 is not of its type (expected a list of numbers, or of lists that all have the same lengths, got %2). Correct it.</source>
        <translation>%1 的类型不对（应为数字的列表，或长度都相同的列表的列表，实际为 %2）。请更正。</translation>
    </message>
    <message>
        <source>transforms is not of its type (expected a list, got %1). Write [{&quot;type&quot;: &quot;rescale&quot;}] or [].</source>
        <translation>transforms 的类型不对（应为列表，实际为 %1）。请写成 [{&quot;type&quot;: &quot;rescale&quot;}] 或 []。</translation>
    </message>
    <message>
        <source>A transform is not of its type (expected an object with &quot;type&quot;, got %1). Write {&quot;type&quot;: &quot;rescale&quot;}, or remove it.</source>
        <translation>变换的类型不对（应为带有 &quot;type&quot; 的对象，实际为 %1）。请写成 {&quot;type&quot;: &quot;rescale&quot;}，或将其删除。</translation>
    </message>
    <message>
        <source>%1 must be an object with an entry for each %2 (expected %3, got one for all). Give each its own.</source>
        <translation>%1 必须是一个对象，为每个%2各给一项（应为 %3，实际为共用一项）。请分别给出。</translation>
    </message>
    <message>
        <source>%1 names &quot;%2&quot;, and there is no %3 of this name (expected %4). Correct the name.</source>
        <translation>%1 写了“%2”，但没有这个名称的%3（应为 %4）。请改正名称。</translation>
    </message>
    <message>
        <source>%1 has nothing for the %2 &quot;%3&quot; (expected %4, got %5). Add it.</source>
        <translation>%1 没有给出%2“%3”的数据（应为 %4，实际为 %5）。请补上。</translation>
    </message>
    <message>
        <source>Name of the target column, or of several; null: the last. Without a header, columns are called 0, 1, ... Of several outputs an object with such a list by name.</source>
        <translation>目标列的名称，可以有多列；null 为最后一列。没有表头时，列名为 0、1、...。有多个输出时，为按名称给出这种列表的对象。</translation>
    </message>
    <message>
        <source>Names of the columns that enter; null: all but the label. Of several Input layers an object with such a list by name.</source>
        <translation>作为输入的列的名称；null 为除标签外的所有列。有多个 Input 层时，为按名称给出这种列表的对象。</translation>
    </message>
    <message>
        <source>%1 must hold as many samples as %2 (expected %3, got %4). Give each sample its own.</source>
        <translation>%1 的样本数必须与 %2 相同（应为 %3，实际为 %4）。请为每个样本各给一项。</translation>
    </message>
    <message>
        <source>One entry a sample: a number or lists of numbers; of several Input layers an object with such a list by name.</source>
        <translation>每个样本一项：一个数或数的列表；有多个 Input 层时，为按名称给出这种列表的对象。</translation>
    </message>
    <message>
        <source>One target a sample: a label, a number or lists of numbers; of several outputs an object with such a list by name.</source>
        <translation>每个样本一个目标：标签、数或数的列表；有多个输出时，为按名称给出这种列表的对象。</translation>
    </message>
    <message>
        <source>Array of inputs; null in an archive: x or x_train. Of several Input layers an object with an array for each; null in an archive: arrays of their names.</source>
        <translation>输入数组；归档中为 null 时取 x 或 x_train。有多个 Input 层时，为各给一个数组的对象；归档中为 null 时取与它们同名的数组。</translation>
    </message>
    <message>
        <source>Array of targets; null in an archive: y or y_train. Of several outputs an object with an array for each; null in an archive: arrays of their names.</source>
        <translation>目标数组；归档中为 null 时取 y 或 y_train。有多个输出时，为各给一个数组的对象；归档中为 null 时取与它们同名的数组。</translation>
    </message>
    <message>
        <source>Inputs of the test set, as x; null in an archive: x_test where it is there.</source>
        <translation>测试集的输入，写法同 x；归档中为 null 时，若有 x_test 则取它。</translation>
    </message>
    <message>
        <source>Targets of the test set, as y; null in an archive: y_test where it is there.</source>
        <translation>测试集的目标，写法同 y；归档中为 null 时，若有 y_test 则取它。</translation>
    </message>
    <message>
        <source>The source %1 has one array of inputs, and the network has the Input layers %2 (expected one for each). Choose values, numpy or csv.</source>
        <translation>数据源 %1 只有一个输入数组，而网络有 Input 层 %2（应各有一个）。请选择 values、numpy 或 csv。</translation>
    </message>
    <message>
        <source>The source %1 has one array of targets, and the network is trained at the outputs %2 (expected one for each). Choose values, numpy or csv.</source>
        <translation>数据源 %1 只有一个目标数组，而网络在输出 %2 上训练（应各有一个）。请选择 values、numpy 或 csv。</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Name of the output it is for; null: all.</source>
        <translation>它所针对的输出的名称；null 为全部。</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Name of the Input layer it is for; null: all.</source>
        <translation>它所针对的 Input 层的名称；null 为全部。</translation>
    </message>
    <message>
        <source>The network has no %1 &quot;%2&quot; (expected one of: %3). Correct the name, or remove it.</source>
        <translation>网络没有名为“%2”的 %1（应为其中之一：%3）。请改正名称，或将其删除。</translation>
    </message>
    <message>
        <source>The loss takes class labels (expected whole numbers from 0 on in %1, got %2). Correct %1, or choose a loss for values.</source>
        <translation>损失函数需要类别标签（%1 中应为从 0 起的整数，实为 %2）。请改正 %1，或选择用于数值的损失。</translation>
    </message>
    <message>
        <source>Keep in memory</source>
        <translation>保留在内存中</translation>
    </message>
    <message>
        <source>memory: images are decoded once and kept; none: they are decoded again for each batch, while the step before it runs; auto: kept where all take at most 0.6 of the free memory and of memory_limit.</source>
        <translation>memory：图像只解码一次并保留；none：在前一步运行时，为每个批次重新解码；auto：全部图像最多占可用内存和 memory_limit 的 0.6 时保留。</translation>
    </message>
    <message>
        <source>Images and labels in four IDX files, plain or gzip, as MNIST and its relatives come. Of a file that is cut short the whole samples are taken where on_damaged is skip or replace.</source>
        <translation>四个 IDX 文件中的图像与标签，未压缩或 gzip，MNIST 及同类数据集即如此。on_damaged 为 skip 或 replace 时，被截断的文件取其中完整的样本。</translation>
    </message>
    <message>
        <source>Arrays of NumPy: one .npz with inputs and targets by name, or .npy files. Samples are the first dimension. Of a .npy file that is cut short the whole samples are taken where on_damaged is skip or replace.</source>
        <translation>NumPy 数组：一个按名称存放输入与目标的 .npz，或若干 .npy 文件。第一维是样本。on_damaged 为 skip 或 replace 时，被截断的 .npy 文件取其中完整的样本。</translation>
    </message>
    <message>
        <source>Name of a column that says how much each sample counts in the loss, at all outputs, or an object with such a name by output; null: all alike.</source>
        <translation>表示每个样本在损失中所占权重的列名，对所有输出有效，或按输出给出列名的对象；null：全部相同。</translation>
    </message>
    <message>
        <source>%1 must hold a weight for each sample (expected %2 numbers of at least 0, got %3). Correct it.</source>
        <translation>%1 必须为每个样本给出一个权重（应为 %2 个不小于 0 的数，实际为 %3）。请更正。</translation>
    </message>
    <message>
        <source>How much each sample counts in the loss: one number a sample, for all outputs, or an object with such a list by output; null: all alike.</source>
        <translation>每个样本在损失中所占的权重：每个样本一个数，对所有输出有效，或按输出给出这样的列表的对象；null：全部相同。</translation>
    </message>
    <message>
        <source>Array that says how much each sample counts in the loss, at all outputs, or an object with such an array by output; null: all alike.</source>
        <translation>表示每个样本在损失中所占权重的数组，对所有输出有效，或按输出给出数组的对象；null：全部相同。</translation>
    </message>
    <message>
        <source>The folder %1 holds no images (expected PNG or JPEG files), and is a class all the same. Put its images there, remove it, or name the other classes in class_names.</source>
        <translation>文件夹 %1 中没有图像（应有 PNG 或 JPEG 文件），却仍算作一个类别。请放入图像、删除该文件夹，或在 class_names 中列出其他类别。</translation>
    </message>
    <message>
        <source>What stands in for them: mean or median of the training part (of words the most frequent), a value; or the row is dropped, also one without a label.</source>
        <translation>用什么代替：训练部分的平均值或中位数（词语取最常见的）、一个固定值；或者丢弃该行，没有标签的行也一样。</translation>
    </message>
    <message>
        <source>%1, row %2, column &quot;%3&quot;: &apos;%4&apos; is in no row that trains (expected one of its categories), so it counts as none of them; such words in all: %5. Correct it, or put rows with it into the training part.</source>
        <translation>%1，第 %2 行，列“%3”：“%4”没有出现在任何训练行中（应为该列的类别之一），因此不算作其中任何一个；这样的词共 %5 个。请更正，或把含有它的行放入训练部分。</translation>
    </message>
    <message>
        <source>No sample is left to train on (samples: %1, skip: %2, validation_split: %3). Lower skip or validation_split.</source>
        <translation>没有样本可用于训练（样本数：%1，skip：%2，validation_split：%3）。请减小 skip 或 validation_split。</translation>
    </message>
    <message>
        <source>%1, row %2, column %3: a quoted cell ends in row %4 (expected its closing quote in the same row; cells like this: %5). Close the quote, or set long_cells to true if cells may hold line breaks.</source>
        <translation>%1，第 %2 行第 %3 列：带引号的单元格到第 %4 行才结束（应在同一行有结束引号；此类单元格数：%5）。请补上引号；如果单元格可以包含换行，请将 long_cells 设为 true。</translation>
    </message>
    <message>
        <source>Line breaks in cells</source>
        <translation>单元格内换行</translation>
    </message>
    <message>
        <source>Quoted cells may hold line breaks. If false, up to 3 of them are a warning and more are an error, because a missing quote looks the same.</source>
        <translation>带引号的单元格可以包含换行。为 false 时，最多 3 个这样的单元格只是警告，更多则是错误，因为缺少引号看起来也是这样。</translation>
    </message>
    <message>
        <source>PNG and JPEG images, one folder a class, classes in the order of their names. Each class is spread evenly over the order of samples, so every split has all of them. Values are sRGB: the gamma of a PNG is undone, color profiles are not applied, and transparency is blended with black unless color_mode is rgba.</source>
        <translation>PNG 和 JPEG 图像，每个类别一个文件夹，类别按名称排序。每个类别在样本顺序中均匀分布，因此每个划分都包含所有类别。像素值为 sRGB：PNG 的 gamma 会被还原，不应用颜色配置文件；除非 color_mode 为 rgba，透明部分与黑色混合。</translation>
    </message>
</context>
<context>
    <name>edit</name>
    <message>
        <source>Group into %1</source>
        <translation>组成 %1</translation>
    </message>
    <message>
        <source>Ungroup %1</source>
        <translation>拆开 %1</translation>
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
        <source>Name %1</source>
        <translation>命名 %1</translation>
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
        <translation>删除 %1 层</translation>
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
        <translation>用重计算满足内存上限</translation>
    </message>
    <message>
        <source>Cut batches into %1 micro-batches</source>
        <translation>将每批分成 %1 个微批次</translation>
    </message>
</context>
<context>
    <name>initializer</name>
    <message>
        <source>Seed of its own; left out, the project&apos;s seed decides</source>
        <translation>自己的随机种子；不填则由项目的种子决定</translation>
    </message>
    <message>
        <source>Uniform, scaled by inputs and outputs (Xavier)</source>
        <translation>均匀分布，按输入数和输出数缩放（Xavier）</translation>
    </message>
    <message>
        <source>Truncated normal, scaled by inputs and outputs (Xavier)</source>
        <translation>截断正态分布，按输入数和输出数缩放（Xavier）</translation>
    </message>
    <message>
        <source>Uniform, scaled for relu</source>
        <translation>均匀分布，按 relu 缩放</translation>
    </message>
    <message>
        <source>Truncated normal, scaled for relu</source>
        <translation>截断正态分布，按 relu 缩放</translation>
    </message>
    <message>
        <source>Uniform, scaled by inputs</source>
        <translation>均匀分布，按输入数缩放</translation>
    </message>
    <message>
        <source>Truncated normal, scaled by inputs</source>
        <translation>截断正态分布，按输入数缩放</translation>
    </message>
    <message>
        <source>All zero</source>
        <translation>全部为零</translation>
    </message>
    <message>
        <source>All one</source>
        <translation>全部为一</translation>
    </message>
    <message>
        <source>One number everywhere</source>
        <translation>处处为同一个数</translation>
    </message>
    <message>
        <source>The number</source>
        <translation>该数字</translation>
    </message>
    <message>
        <source>Uniform between two numbers</source>
        <translation>两个数之间的均匀分布</translation>
    </message>
    <message>
        <source>Smallest value</source>
        <translation>最小值</translation>
    </message>
    <message>
        <source>Largest value</source>
        <translation>最大值</translation>
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
        <source>Normal distribution cut at two deviations</source>
        <translation>在两倍标准差处截断的正态分布</translation>
    </message>
    <message>
        <source>A variance of scale over the number of inputs, outputs or their mean</source>
        <translation>方差为 scale 除以输入数、输出数或两者的平均</translation>
    </message>
    <message>
        <source>The variance times n</source>
        <translation>方差乘以 n</translation>
    </message>
    <message>
        <source>What n counts</source>
        <translation>n 数的是什么</translation>
    </message>
    <message>
        <source>Distribution of the values</source>
        <translation>值的分布</translation>
    </message>
    <message>
        <source>Rows or columns of length 1 at right angles, so that signals keep their size</source>
        <translation>长度为 1、互相垂直的行或列，使信号保持大小</translation>
    </message>
    <message>
        <source>Length of the rows or columns</source>
        <translation>行或列的长度</translation>
    </message>
    <message>
        <source>One on the diagonal of a matrix, else zero</source>
        <translation>矩阵对角线为一，其余为零</translation>
    </message>
    <message>
        <source>The number on the diagonal</source>
        <translation>对角线上的数</translation>
    </message>
    <message>
        <source>Waves of a short-time Fourier transform, for the kernel of a Conv1D of one channel</source>
        <translation>短时傅里叶变换的波形，用于单通道 Conv1D 的卷积核</translation>
    </message>
    <message>
        <source>Part of the transform</source>
        <translation>变换的部分</translation>
    </message>
    <message>
        <source>Weights of a frame&apos;s samples; null or boxcar: all alike</source>
        <translation>一帧内各样本的权重；null 或 boxcar：全部相同</translation>
    </message>
    <message>
        <source>What of the window becomes one: the length, or the sum; null: nothing</source>
        <translation>使窗口的什么变为一：长度，或总和；null：都不</translation>
    </message>
    <message>
        <source>The window would go on in the next frame</source>
        <translation>窗口在下一帧中延续</translation>
    </message>
</context>
<context>
    <name>layers</name>
    <message>
        <source>A group of layers with names of its own, repeated one after the other</source>
        <translation>一组有自己名称范围的层，依次重复</translation>
    </message>
    <message>
        <source>How often the layers follow each other, each time with weights of their own</source>
        <translation>这些层依次重复的次数，每次都有自己的权重</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>重复</translation>
    </message>
    <message>
        <source>What is repeated: the first takes the Block&apos;s input, the last gives its output</source>
        <translation>被重复的层：第一层接收 Block 的输入，最后一层给出其输出</translation>
    </message>
    <message>
        <source>Applies a function to each value</source>
        <translation>对每个值应用一个函数</translation>
    </message>
    <message>
        <source>Adds its inputs: the heart of a residual connection</source>
        <translation>将各输入相加：残差连接的核心</translation>
    </message>
    <message>
        <source>Keeps the mean of each window: a smaller image</source>
        <translation>保留每个窗口的均值：图像变小</translation>
    </message>
    <message>
        <source>Brings each channel to mean 0 and variance 1, then scales and shifts it as learned</source>
        <translation>将每个通道变为均值 0、方差 1，再按学到的参数缩放和平移</translation>
    </message>
    <message>
        <source>Dimension of the channels; -1 is the last</source>
        <translation>通道所在的维度；-1 是最后一维</translation>
    </message>
    <message>
        <source>Axis</source>
        <translation>轴</translation>
    </message>
    <message>
        <source>How slowly the moving mean and variance follow the batches</source>
        <translation>移动均值和移动方差跟随各批的缓慢程度</translation>
    </message>
    <message>
        <source>Momentum</source>
        <translation>动量</translation>
    </message>
    <message>
        <source>Added to the variance, so that nothing is divided by zero</source>
        <translation>加到方差上，避免除以零</translation>
    </message>
    <message>
        <source>Epsilon</source>
        <translation>Epsilon</translation>
    </message>
    <message>
        <source>Adds a learned offset, beta</source>
        <translation>加上学到的偏移 beta</translation>
    </message>
    <message>
        <source>Center</source>
        <translation>平移</translation>
    </message>
    <message>
        <source>Multiplies by a learned scale, gamma</source>
        <translation>乘以学到的缩放系数 gamma</translation>
    </message>
    <message>
        <source>Scale</source>
        <translation>缩放</translation>
    </message>
    <message>
        <source>Beta starts as</source>
        <translation>Beta 初始值</translation>
    </message>
    <message>
        <source>Gamma starts as</source>
        <translation>Gamma 初始值</translation>
    </message>
    <message>
        <source>Moving mean starts as</source>
        <translation>移动均值初始值</translation>
    </message>
    <message>
        <source>Moving variance starts as</source>
        <translation>移动方差初始值</translation>
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
        <source>Puts its inputs one after the other along a dimension</source>
        <translation>沿某一维度将各输入依次拼接</translation>
    </message>
    <message>
        <source>Dimension along which they are joined; the batch is 0, -1 is the last</source>
        <translation>拼接所沿的维度；0 是批，-1 是最后一维</translation>
    </message>
    <message>
        <source>Small filters slide over the image and find patterns</source>
        <translation>小的滤波器在图像上滑动，寻找图案</translation>
    </message>
    <message>
        <source>Number of patterns, the channels of the output</source>
        <translation>图案的数量，即输出的通道数</translation>
    </message>
    <message>
        <source>Filters</source>
        <translation>滤波器数</translation>
    </message>
    <message>
        <source>Channels are split into this many groups that do not see each other</source>
        <translation>将通道分成这么多个互不可见的组</translation>
    </message>
    <message>
        <source>Groups</source>
        <translation>分组数</translation>
    </message>
    <message>
        <source>Kernel starts as</source>
        <translation>权重初始值</translation>
    </message>
    <message>
        <source>Bias starts as</source>
        <translation>偏置初始值</translation>
    </message>
    <message>
        <source>Kernel regularizer</source>
        <translation>权重正则化</translation>
    </message>
    <message>
        <source>Bias regularizer</source>
        <translation>偏置正则化</translation>
    </message>
    <message>
        <source>Every output is a weighted sum of all inputs</source>
        <translation>每个输出都是所有输入的加权和</translation>
    </message>
    <message>
        <source>Number of outputs</source>
        <translation>输出的数量</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>单元数</translation>
    </message>
    <message>
        <source>Each channel is filtered on its own: few weights, little work</source>
        <translation>每个通道单独滤波：权重少，计算量小</translation>
    </message>
    <message>
        <source>Filters of each channel</source>
        <translation>每个通道的滤波器数</translation>
    </message>
    <message>
        <source>Depth multiplier</source>
        <translation>深度乘数</translation>
    </message>
    <message>
        <source>Leaves out a random share of the values while training, so that no one of them is relied on</source>
        <translation>训练时随机去掉一部分值，使网络不依赖其中任何一个</translation>
    </message>
    <message>
        <source>Share of the values that is left out</source>
        <translation>被去掉的值的比例</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>丢弃率</translation>
    </message>
    <message>
        <source>Seed of its own; left out, the project&apos;s seed decides</source>
        <translation>自己的随机种子；不填则由项目的种子决定</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>Off: the weights stay as they are while training</source>
        <translation>关闭：训练时权重保持不变</translation>
    </message>
    <message>
        <source>Trainable</source>
        <translation>可训练</translation>
    </message>
    <message>
        <source>The learning rate of this layer is multiplied by it</source>
        <translation>该层的学习率乘以此系数</translation>
    </message>
    <message>
        <source>Learning rate factor</source>
        <translation>学习率系数</translation>
    </message>
    <message>
        <source>Place in the list of devices of the one that computes this layer; this version trains on one device</source>
        <translation>计算该层的设备在设备列表中的位置；此版本只在一个设备上训练</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Function applied to each output value</source>
        <translation>应用于每个输出值的函数</translation>
    </message>
    <message>
        <source>Activation</source>
        <translation>激活函数</translation>
    </message>
    <message>
        <source>Adds a learned number to each output</source>
        <translation>给每个输出加上一个学到的数</translation>
    </message>
    <message>
        <source>Bias</source>
        <translation>偏置</translation>
    </message>
    <message>
        <source>How these weights start</source>
        <translation>这些权重的初始值</translation>
    </message>
    <message>
        <source>Cost of large weights, added to the loss</source>
        <translation>加到损失上的、对大权重的惩罚</translation>
    </message>
    <message>
        <source>Height and width of the filter</source>
        <translation>滤波器的高度和宽度</translation>
    </message>
    <message>
        <source>Kernel size</source>
        <translation>卷积核大小</translation>
    </message>
    <message>
        <source>Height and width of the window</source>
        <translation>窗口的高度和宽度</translation>
    </message>
    <message>
        <source>Pool size</source>
        <translation>池化窗口大小</translation>
    </message>
    <message>
        <source>How far the window moves each time; left out, as far as it is large</source>
        <translation>窗口每次移动的距离；不填则等于窗口大小</translation>
    </message>
    <message>
        <source>How far the filter moves each time</source>
        <translation>滤波器每次移动的距离</translation>
    </message>
    <message>
        <source>Strides</source>
        <translation>步幅</translation>
    </message>
    <message>
        <source>valid: only whole windows; same: zeros around, so that stride 1 keeps the size</source>
        <translation>valid：只取完整的窗口；same：四周补零，步幅为 1 时大小不变</translation>
    </message>
    <message>
        <source>Padding</source>
        <translation>填充</translation>
    </message>
    <message>
        <source>Distance between neighbouring cells of the filter</source>
        <translation>滤波器相邻单元之间的距离</translation>
    </message>
    <message>
        <source>Dilation</source>
        <translation>空洞率</translation>
    </message>
    <message>
        <source>Lays all values of a sample in one row</source>
        <translation>将一个样本的所有值排成一行</translation>
    </message>
    <message>
        <source>Keeps one mean a channel</source>
        <translation>每个通道保留一个均值</translation>
    </message>
    <message>
        <source>Keep height and width as 1</source>
        <translation>将高度和宽度保留为 1</translation>
    </message>
    <message>
        <source>Keep dimensions</source>
        <translation>保留维度</translation>
    </message>
    <message>
        <source>Where the data enters the network</source>
        <translation>数据进入网络的位置</translation>
    </message>
    <message>
        <source>Size of one sample, without the batch: [height, width, channels] for images</source>
        <translation>单个样本的大小，不含批维度：图像为 [高度, 宽度, 通道数]</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Type of the numbers that enter</source>
        <translation>输入数字的类型</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Keeps the largest value of each window: a smaller image</source>
        <translation>保留每个窗口的最大值：图像变小</translation>
    </message>
    <message>
        <source>Multiplies its inputs value by value: a gate</source>
        <translation>将各输入逐值相乘：门控</translation>
    </message>
    <message>
        <source>Brings values to another range, such as 0..255 to 0..1</source>
        <translation>将数值变换到另一范围，例如从 0..255 到 0..1</translation>
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
        <source>Gives the values of a sample another shape</source>
        <translation>给样本的值换一个形状</translation>
    </message>
    <message>
        <source>Shape of a sample; one -1 takes what is left</source>
        <translation>样本的形状；其中一个 -1 取剩余的大小</translation>
    </message>
    <message>
        <source>Target shape</source>
        <translation>目标形状</translation>
    </message>
    <message>
        <source>The mean of its inputs</source>
        <translation>各输入的平均值</translation>
    </message>
    <message>
        <source>Keeps the mean of each window: a shorter sequence</source>
        <translation>保留每个窗口的平均值，得到更短的序列</translation>
    </message>
    <message>
        <source>Small filters slide over a sequence and find patterns</source>
        <translation>小的滤波器在序列上滑动，寻找模式</translation>
    </message>
    <message>
        <source>Each step spreads a filter over a longer sequence</source>
        <translation>每一步把滤波器铺到更长的序列上</translation>
    </message>
    <message>
        <source>Each cell spreads a filter over a larger image</source>
        <translation>每个格子把滤波器铺到更大的图像上</translation>
    </message>
    <message>
        <source>Cuts off the border, along steps</source>
        <translation>沿步的方向裁去边缘</translation>
    </message>
    <message>
        <source>Cells cut off before and after</source>
        <translation>前后裁去的格数</translation>
    </message>
    <message>
        <source>Cropping</source>
        <translation>裁剪</translation>
    </message>
    <message>
        <source>Cuts off the border, along height and width</source>
        <translation>沿高和宽裁去边缘</translation>
    </message>
    <message>
        <source>Cuts off the border, along depth, height and width</source>
        <translation>沿深、高和宽裁去边缘</translation>
    </message>
    <message>
        <source>Each channel of a sequence is filtered on its own</source>
        <translation>序列的每个通道单独滤波</translation>
    </message>
    <message>
        <source>Sums the products of two inputs along a dimension of each</source>
        <translation>沿两个输入各自的一个维度求乘积之和</translation>
    </message>
    <message>
        <source>Dimension that is summed over, of both inputs or of each; the batch is 0, -1 is the last</source>
        <translation>求和的维度，两个输入共用或各有一个；批次是 0，-1 是最后一个</translation>
    </message>
    <message>
        <source>Axes</source>
        <translation>轴</translation>
    </message>
    <message>
        <source>Brings the vectors to length 1 before: the cosine between them</source>
        <translation>先把向量变为长度 1：即它们之间的余弦</translation>
    </message>
    <message>
        <source>Normalize</source>
        <translation>归一化</translation>
    </message>
    <message>
        <source>Exponential below zero</source>
        <translation>零以下为指数</translation>
    </message>
    <message>
        <source>Value that is approached far below zero, negated</source>
        <translation>远低于零时所趋近的值的相反数</translation>
    </message>
    <message>
        <source>Alpha</source>
        <translation>Alpha</translation>
    </message>
    <message>
        <source>Length of the filter</source>
        <translation>滤波器的长度</translation>
    </message>
    <message>
        <source>Length of the window</source>
        <translation>窗口的长度</translation>
    </message>
    <message>
        <source>valid: only whole windows; same: zeros around; causal: zeros before, so that no step sees a later one</source>
        <translation>valid：只取完整的窗口；same：周围补零；causal：只在前面补零，任何一步都看不到后面的步</translation>
    </message>
    <message>
        <source>Keep the dimensions as 1</source>
        <translation>维度保留为 1</translation>
    </message>
    <message>
        <source>Keeps one largest value a channel</source>
        <translation>每个通道保留一个最大值</translation>
    </message>
    <message>
        <source>Brings groups of channels of each sample to mean 0 and variance 1</source>
        <translation>把每个样本的各组通道变为均值 0、方差 1</translation>
    </message>
    <message>
        <source>Groups that the channels are split into; -1: one a channel</source>
        <translation>通道分成的组数；-1：每个通道一组</translation>
    </message>
    <message>
        <source>Brings each sample to mean 0 and variance 1, then scales and shifts it as learned</source>
        <translation>把每个样本变为均值 0、方差 1，再按学到的值缩放和平移</translation>
    </message>
    <message>
        <source>Dimensions that are normalized together; -1 is the last</source>
        <translation>一起归一化的维度；-1 是最后一个</translation>
    </message>
    <message>
        <source>Negative values keep a small slope</source>
        <translation>负值保留较小的斜率</translation>
    </message>
    <message>
        <source>Slope of negative values</source>
        <translation>负值的斜率</translation>
    </message>
    <message>
        <source>Negative slope</source>
        <translation>负斜率</translation>
    </message>
    <message>
        <source>Keeps the largest value of each window: a shorter sequence</source>
        <translation>保留每个窗口的最大值，得到更短的序列</translation>
    </message>
    <message>
        <source>The largest of its inputs, value by value</source>
        <translation>逐个取各输入的最大值</translation>
    </message>
    <message>
        <source>The smallest of its inputs, value by value</source>
        <translation>逐个取各输入的最小值</translation>
    </message>
    <message>
        <source>Dimensions with a mean and variance of their own; none: one for all</source>
        <translation>各有均值和方差的维度；无：全部共用</translation>
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
        <source>Back from mean 0 and variance 1</source>
        <translation>从均值 0、方差 1 变回去</translation>
    </message>
    <message>
        <source>Invert</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>Cells added at the end of the output; less than strides</source>
        <translation>在输出末尾增加的格数；小于步幅</translation>
    </message>
    <message>
        <source>Output padding</source>
        <translation>输出填充</translation>
    </message>
    <message>
        <source>Puts the dimensions of a sample in another order</source>
        <translation>改变样本各维度的顺序</translation>
    </message>
    <message>
        <source>The new order; the first dimension of a sample is 1</source>
        <translation>新的顺序；样本的第一个维度是 1</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>顺序</translation>
    </message>
    <message>
        <source>Makes an image larger by cells out of its channels</source>
        <translation>用通道中的格子放大图像</translation>
    </message>
    <message>
        <source>How many times as high and wide the image becomes</source>
        <translation>图像的高和宽变为多少倍</translation>
    </message>
    <message>
        <source>Negative values keep a slope that is learned</source>
        <translation>负值保留学到的斜率</translation>
    </message>
    <message>
        <source>Slopes start as</source>
        <translation>斜率的初值</translation>
    </message>
    <message>
        <source>Slope regularizer</source>
        <translation>斜率正则化</translation>
    </message>
    <message>
        <source>Dimensions along which one slope serves all, such as 1, 2 of an image</source>
        <translation>沿其共用一个斜率的维度，例如图像的 1, 2</translation>
    </message>
    <message>
        <source>Shared axes</source>
        <translation>共享轴</translation>
    </message>
    <message>
        <source>Negative values become zero; with a slope, a threshold and a limit if wanted</source>
        <translation>负值变为零；需要时带有斜率、阈值和上限</translation>
    </message>
    <message>
        <source>Largest value; none: no limit</source>
        <translation>最大值；无：没有上限</translation>
    </message>
    <message>
        <source>Largest value</source>
        <translation>最大值</translation>
    </message>
    <message>
        <source>Slope below the threshold</source>
        <translation>阈值以下的斜率</translation>
    </message>
    <message>
        <source>Values from it on pass</source>
        <translation>从它开始的值通过</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>阈值</translation>
    </message>
    <message>
        <source>The same features at every step of a sequence</source>
        <translation>序列的每一步都是同样的特征</translation>
    </message>
    <message>
        <source>Number of steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Brings images to another size</source>
        <translation>把图像变为另一种大小</translation>
    </message>
    <message>
        <source>Height of the output</source>
        <translation>输出的高</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>高</translation>
    </message>
    <message>
        <source>Width of the output</source>
        <translation>输出的宽</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>宽</translation>
    </message>
    <message>
        <source>Interpolation</source>
        <translation>插值</translation>
    </message>
    <message>
        <source>Brings each sample to root mean square 1, then scales it as learned</source>
        <translation>把每个样本变为均方根 1，再按学到的值缩放</translation>
    </message>
    <message>
        <source>Added to the mean square, so that nothing is divided by zero</source>
        <translation>加到均方上，避免除以零</translation>
    </message>
    <message>
        <source>Filters each channel of a sequence on its own, then mixes the channels</source>
        <translation>对序列的每个通道单独滤波，再混合通道</translation>
    </message>
    <message>
        <source>Depthwise kernel starts as</source>
        <translation>逐通道核的初值</translation>
    </message>
    <message>
        <source>Pointwise kernel starts as</source>
        <translation>逐点核的初值</translation>
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
        <source>Filters each channel on its own, then mixes the channels: fewer weights than Conv2D</source>
        <translation>对每个通道单独滤波，再混合通道：权重比 Conv2D 少</translation>
    </message>
    <message>
        <source>Probabilities that sum to one</source>
        <translation>和为一的概率</translation>
    </message>
    <message>
        <source>Dimension that sums to one, or several; the batch is 0, -1 is the last</source>
        <translation>和为一的维度，可以有几个；批次是 0，-1 是最后一个</translation>
    </message>
    <message>
        <source>Leaves out a random share of the channels while training</source>
        <translation>训练时随机去掉一部分通道</translation>
    </message>
    <message>
        <source>Share of the channels that is left out</source>
        <translation>去掉的通道所占的比例</translation>
    </message>
    <message>
        <source>The first input less the second</source>
        <translation>第一个输入减去第二个</translation>
    </message>
    <message>
        <source>Brings vectors to length 1</source>
        <translation>把向量变为长度 1</translation>
    </message>
    <message>
        <source>Dimensions of the vectors; -1 is the last</source>
        <translation>向量所在的维度；-1 是最后一个</translation>
    </message>
    <message>
        <source>More cells along steps</source>
        <translation>沿步的方向增加格子</translation>
    </message>
    <message>
        <source>How many cells each one becomes</source>
        <translation>每个格子变成多少个</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>More cells along height and width</source>
        <translation>沿高和宽增加格子</translation>
    </message>
    <message>
        <source>More cells along depth, height and width</source>
        <translation>沿深、高和宽增加格子</translation>
    </message>
    <message>
        <source>Puts zeros around, along steps</source>
        <translation>沿步的方向在两端补零</translation>
    </message>
    <message>
        <source>Zeros before and after</source>
        <translation>前后零的个数</translation>
    </message>
    <message>
        <source>Puts zeros around, along height and width</source>
        <translation>沿高和宽在周围补零</translation>
    </message>
    <message>
        <source>Puts zeros around, along depth, height and width</source>
        <translation>沿深、高和宽在周围补零</translation>
    </message>
    <message>
        <source>Every step looks at all steps of another sequence, by sums in place of products</source>
        <translation>每一步看另一个序列的所有步，用和代替乘积</translation>
    </message>
    <message>
        <source>Weighs the features by learned numbers</source>
        <translation>用学到的数给特征加权</translation>
    </message>
    <message>
        <source>Leaves out values while training such that mean and variance stay: for SELU</source>
        <translation>训练时去掉一些值而保持均值和方差：用于 SELU</translation>
    </message>
    <message>
        <source>Every step looks at all steps of another sequence</source>
        <translation>每一步看另一个序列的所有步</translation>
    </message>
    <message>
        <source>Multiplies the scores by a learned number</source>
        <translation>分数乘以学到的一个数</translation>
    </message>
    <message>
        <source>dot: products of query and key; concat: tanh of their sum</source>
        <translation>dot：查询与键的乘积；concat：二者之和的 tanh</translation>
    </message>
    <message>
        <source>Scores</source>
        <translation>分数</translation>
    </message>
    <message>
        <source>Share of the attention that is left out while training</source>
        <translation>训练时去掉的注意力的比例</translation>
    </message>
    <message>
        <source>Dropout</source>
        <translation>随机失活</translation>
    </message>
    <message>
        <source>No step sees a later one</source>
        <translation>任何一步都看不到后面的步</translation>
    </message>
    <message>
        <source>Causal</source>
        <translation>因果</translation>
    </message>
    <message>
        <source>Keeps the mean of each window: a smaller volume</source>
        <translation>保留每个窗口的平均值，得到更小的体</translation>
    </message>
    <message>
        <source>Depth, height and width of the window</source>
        <translation>窗口的深、高和宽</translation>
    </message>
    <message>
        <source>Keeps the middle of an image</source>
        <translation>保留图像的中间部分</translation>
    </message>
    <message>
        <source>Small filters slide through a volume and find patterns</source>
        <translation>小的滤波器在体中滑动，寻找模式</translation>
    </message>
    <message>
        <source>Depth, height and width of the filter</source>
        <translation>滤波器的深、高和宽</translation>
    </message>
    <message>
        <source>A learned row of numbers for each index, such as a word</source>
        <translation>每个索引（例如词）对应学到的一行数</translation>
    </message>
    <message>
        <source>Number of indices, such as words</source>
        <translation>索引（例如词）的个数</translation>
    </message>
    <message>
        <source>Indices</source>
        <translation>索引数</translation>
    </message>
    <message>
        <source>Numbers of a row</source>
        <translation>一行的数的个数</translation>
    </message>
    <message>
        <source>Output size</source>
        <translation>输出大小</translation>
    </message>
    <message>
        <source>Rows start as</source>
        <translation>各行的初值</translation>
    </message>
    <message>
        <source>Row regularizer</source>
        <translation>行正则化</translation>
    </message>
    <message>
        <source>Attention of many heads that share fewer keys and values: less memory</source>
        <translation>多个头共用较少的键和值的注意力：占用更少内存</translation>
    </message>
    <message>
        <source>Size of a head</source>
        <translation>一个头的大小</translation>
    </message>
    <message>
        <source>Head size</source>
        <translation>头大小</translation>
    </message>
    <message>
        <source>Heads of the query</source>
        <translation>查询的头数</translation>
    </message>
    <message>
        <source>Query heads</source>
        <translation>查询头数</translation>
    </message>
    <message>
        <source>Heads of key and value</source>
        <translation>键和值的头数</translation>
    </message>
    <message>
        <source>Key and value heads</source>
        <translation>键值头数</translation>
    </message>
    <message>
        <source>Keeps the largest value of each window: a smaller volume</source>
        <translation>保留每个窗口的最大值，得到更小的体</translation>
    </message>
    <message>
        <source>Every step looks at all steps of another sequence, or of its own, in several heads</source>
        <translation>每一步以多个头看另一个序列或自身的所有步</translation>
    </message>
    <message>
        <source>Number of heads</source>
        <translation>头的个数</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>头数</translation>
    </message>
    <message>
        <source>Size of a head for query and key</source>
        <translation>一个头的查询和键的大小</translation>
    </message>
    <message>
        <source>Key size</source>
        <translation>键大小</translation>
    </message>
    <message>
        <source>Size of a head for the value; left out, as key_dim</source>
        <translation>一个头的值的大小；省略时与 key_dim 相同</translation>
    </message>
    <message>
        <source>Value size</source>
        <translation>值大小</translation>
    </message>
    <message>
        <source>Features of the output; left out, as the query</source>
        <translation>输出的特征数；省略时与查询相同</translation>
    </message>
    <message>
        <source>A learned row of numbers for each place in a sequence, to be added to what is there</source>
        <translation>序列中每个位置对应学到的一行数，加到已有的值上</translation>
    </message>
    <message>
        <source>Most steps of a sequence</source>
        <translation>序列最多的步数</translation>
    </message>
    <message>
        <source>Sequence length</source>
        <translation>序列长度</translation>
    </message>
    <message>
        <source>Turns pairs of features by an angle that grows with the step</source>
        <translation>把特征对按随步数增大的角度旋转</translation>
    </message>
    <message>
        <source>Longest wave in steps, over 2 pi</source>
        <translation>最长的波的步数，除以 2 pi</translation>
    </message>
    <message>
        <source>Longest wave</source>
        <translation>最长的波</translation>
    </message>
    <message>
        <source>Steps are divided by it, for sequences longer than those trained on</source>
        <translation>步数除以它，用于比训练时更长的序列</translation>
    </message>
    <message>
        <source>Scaling</source>
        <translation>缩放</translation>
    </message>
    <message>
        <source>Waves that tell the place in a sequence, to be added to what is there</source>
        <translation>表示序列中位置的波，加到已有的值上</translation>
    </message>
    <message>
        <source>Values cost: sums of them are added to the loss</source>
        <translation>值有代价：其和加到损失上</translation>
    </message>
    <message>
        <source>Weight of the sum of sizes</source>
        <translation>绝对值之和的权重</translation>
    </message>
    <message>
        <source>L1</source>
        <translation>L1</translation>
    </message>
    <message>
        <source>Weight of the sum of squares</source>
        <translation>平方和的权重</translation>
    </message>
    <message>
        <source>L2</source>
        <translation>L2</translation>
    </message>
    <message>
        <source>Keeps the mean of as many windows as wanted, whatever the size of the input</source>
        <translation>无论输入多大，都保留所要数目的窗口的平均值</translation>
    </message>
    <message>
        <source>Number of windows along steps</source>
        <translation>沿步的窗口数</translation>
    </message>
    <message>
        <source>Number of windows along height and width</source>
        <translation>沿高和宽的窗口数</translation>
    </message>
    <message>
        <source>Number of windows along depth, height and width</source>
        <translation>沿深、高和宽的窗口数</translation>
    </message>
    <message>
        <source>Keeps the largest value of as many windows as wanted, whatever the size of the input</source>
        <translation>无论输入多大，都保留所要数目的窗口的最大值</translation>
    </message>
    <message>
        <source>Indices become rows of zeros and ones</source>
        <translation>下标变为由零和一组成的行</translation>
    </message>
    <message>
        <source>Number of indices</source>
        <translation>下标的个数</translation>
    </message>
    <message>
        <source>one_hot: a row for each index; multi_hot: which occur in a sample; count: how often</source>
        <translation>one_hot：每个下标一行；multi_hot：样本中出现了哪些；count：出现几次</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Each cell spreads a filter through a larger volume</source>
        <translation>每个格子把滤波器铺到更大的体积中</translation>
    </message>
    <message>
        <source>Numbers become the index of the bin that they are in</source>
        <translation>数变为它所在区间的下标</translation>
    </message>
    <message>
        <source>Where one bin ends and the next begins</source>
        <translation>一个区间结束、下一个开始的地方</translation>
    </message>
    <message>
        <source>Boundaries</source>
        <translation>分界</translation>
    </message>
    <message>
        <source>Number of bins whose boundaries are taken from the training data</source>
        <translation>边界取自训练数据的区间个数</translation>
    </message>
    <message>
        <source>Bins</source>
        <translation>区间数</translation>
    </message>
    <message>
        <source>one_hot: a row for each index; multi_hot: which occur in a sample; count: how often; int: the index</source>
        <translation>one_hot：每个下标一行；multi_hot：样本中出现了哪些；count：出现几次；int：下标本身</translation>
    </message>
    <message>
        <source>A dense layer over dimensions of one&apos;s choice, written as an equation</source>
        <translation>在所选维度上的全连接层，写成一个等式</translation>
    </message>
    <message>
        <source>Letters of the dimensions of input, weights and output; ... stands for all others</source>
        <translation>输入、权重和输出各维度的字母；... 代表其余维度</translation>
    </message>
    <message>
        <source>Equation</source>
        <translation>等式</translation>
    </message>
    <message>
        <source>Sizes of the output without the batch and what ... stands for; null: as the input</source>
        <translation>输出的大小，不含批和 ... 所代表的部分；null：与输入相同</translation>
    </message>
    <message>
        <source>Output shape</source>
        <translation>输出形状</translation>
    </message>
    <message>
        <source>Letters of the output with a bias of their own; left out, there is none</source>
        <translation>各有偏置的输出字母；省略则没有偏置</translation>
    </message>
    <message>
        <source>Bias axes</source>
        <translation>偏置轴</translation>
    </message>
    <message>
        <source>Index 0 fills up short sequences: layers behind pass over those steps</source>
        <translation>下标 0 用来填充短序列：后面的层跳过这些步</translation>
    </message>
    <message>
        <source>Zero is padding</source>
        <translation>零为填充</translation>
    </message>
    <message>
        <source>A formula of your own, element by element, with learned parameters</source>
        <translation>自己写的逐元素公式，可带学习的参数</translation>
    </message>
    <message>
        <source>Of the inputs x, y, z (or x1, x2, ...) and the parameters</source>
        <translation>由输入 x、y、z（或 x1、x2、...）和参数组成</translation>
    </message>
    <message>
        <source>Formula</source>
        <translation>公式</translation>
    </message>
    <message>
        <source>Names of numbers that are learned</source>
        <translation>要学习的数的名称</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>What the parameters start as, one number or one each</source>
        <translation>参数的初值，一个数，或每个参数一个</translation>
    </message>
    <message>
        <source>Initial values</source>
        <translation>初值</translation>
    </message>
    <message>
        <source>Each channel (the last dimension) has parameters of its own</source>
        <translation>每个通道（最后一维）有自己的参数</translation>
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
        <source>Scale constraint</source>
        <translation>缩放约束</translation>
    </message>
    <message>
        <source>Shift constraint</source>
        <translation>平移约束</translation>
    </message>
    <message>
        <source>Slope constraint</source>
        <translation>斜率约束</translation>
    </message>
    <message>
        <source>Row constraint</source>
        <translation>行约束</translation>
    </message>
    <message>
        <source>Recurrent constraint</source>
        <translation>循环核约束</translation>
    </message>
    <message>
        <source>What these weights are brought to after each update</source>
        <translation>每次更新后这些权重被变为什么</translation>
    </message>
    <message>
        <source>Constraint</source>
        <translation>约束</translation>
    </message>
    <message>
        <source>Multiplies by normal noise of mean 1 while training</source>
        <translation>训练时乘以均值为 1 的正态噪声</translation>
    </message>
    <message>
        <source>Strength, as the share that Dropout would leave out</source>
        <translation>强度，等同于 Dropout 会丢弃的比例</translation>
    </message>
    <message>
        <source>Adds normal noise while training</source>
        <translation>训练时加上正态噪声</translation>
    </message>
    <message>
        <source>Standard deviation of the noise</source>
        <translation>噪声的标准差</translation>
    </message>
    <message>
        <source>Deviation</source>
        <translation>标准差</translation>
    </message>
    <message>
        <source>Steps that hold one number only are passed over by the layers behind</source>
        <translation>只含同一个数的步会被后面的层跳过</translation>
    </message>
    <message>
        <source>What fills up a short sequence</source>
        <translation>用来填充短序列的数</translation>
    </message>
    <message>
        <source>Padding value</source>
        <translation>填充值</translation>
    </message>
    <message>
        <source>Brings values to mean 0 and variance 1, by numbers given or taken from the training data</source>
        <translation>按给定的或取自训练数据的数，把值变为均值 0、方差 1</translation>
    </message>
    <message>
        <source>Mean of the values, one number or one each along axis; left out, that of the training data</source>
        <translation>值的均值，一个数，或沿轴各一个；省略则取训练数据的均值</translation>
    </message>
    <message>
        <source>Variance of the values, one number or one each along axis; left out, that of the training data</source>
        <translation>值的方差，一个数，或沿轴各一个；省略则取训练数据的方差</translation>
    </message>
    <message>
        <source>Makes images brighter or darker at random while training</source>
        <translation>训练时随机调亮或调暗图像</translation>
    </message>
    <message>
        <source>Largest change as a share of the value range, or a lower and an upper bound</source>
        <translation>最大变化占取值范围的比例，或下界和上界</translation>
    </message>
    <message>
        <source>Changes the contrast of images at random while training</source>
        <translation>训练时随机改变图像的对比度</translation>
    </message>
    <message>
        <source>How much more contrast, or how much less and how much more</source>
        <translation>对比度最多增加多少，或最多减少和增加多少</translation>
    </message>
    <message>
        <source>Takes a piece of each image at a random place while training, else its middle</source>
        <translation>训练时在随机位置取每幅图像的一块，其他时候取中间</translation>
    </message>
    <message>
        <source>Fills a rectangle at a random place of each image while training</source>
        <translation>训练时填充每幅图像随机位置的一个矩形</translation>
    </message>
    <message>
        <source>Chance that an image is erased, drawn from 0 to it or between two bounds</source>
        <translation>擦除图像的概率，从 0 到它之间或两个界之间抽取</translation>
    </message>
    <message>
        <source>Share of the image that is erased, a lower and an upper bound</source>
        <translation>被擦除的部分占图像的比例，下界和上界</translation>
    </message>
    <message>
        <source>What is filled in, one number or one a channel; left out, noise</source>
        <translation>填入什么，一个数，或每个通道一个；省略则为噪声</translation>
    </message>
    <message>
        <source>Fill value</source>
        <translation>填充值</translation>
    </message>
    <message>
        <source>Mirrors images at random while training</source>
        <translation>训练时随机镜像图像</translation>
    </message>
    <message>
        <source>horizontal: left and right change places; vertical: top and bottom</source>
        <translation>horizontal：左右互换；vertical：上下互换</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>方式</translation>
    </message>
    <message>
        <source>Smallest and largest value of the images</source>
        <translation>图像的最小值和最大值</translation>
    </message>
    <message>
        <source>Value range</source>
        <translation>取值范围</translation>
    </message>
    <message>
        <source>What stands outside of the image: it mirrored, it again, one number, or its border</source>
        <translation>图像之外是什么：镜像、重复、一个数，或边缘</translation>
    </message>
    <message>
        <source>Outside</source>
        <translation>图像之外</translation>
    </message>
    <message>
        <source>The number that stands outside where fill_mode is constant</source>
        <translation>fill_mode 为 constant 时图像之外的数</translation>
    </message>
    <message>
        <source>nearest: the nearest cell; bilinear: straight lines between the cells</source>
        <translation>nearest：最近的格子；bilinear：格子之间用直线</translation>
    </message>
    <message>
        <source>Turns images by a random angle while training</source>
        <translation>训练时把图像旋转一个随机角度</translation>
    </message>
    <message>
        <source>Largest turn as a share of a whole one, or a lower and an upper bound</source>
        <translation>最大旋转占一整圈的比例，或下界和上界</translation>
    </message>
    <message>
        <source>Moves images by a random distance while training</source>
        <translation>训练时把图像移动一段随机距离</translation>
    </message>
    <message>
        <source>Largest move as a share of the size along the height, or a lower and an upper bound</source>
        <translation>沿高度的最大移动占大小的比例，或下界和上界</translation>
    </message>
    <message>
        <source>Height factor</source>
        <translation>高度系数</translation>
    </message>
    <message>
        <source>The same along the width</source>
        <translation>沿宽度同样</translation>
    </message>
    <message>
        <source>Width factor</source>
        <translation>宽度系数</translation>
    </message>
    <message>
        <source>The same along the width; left out, as the height</source>
        <translation>沿宽度同样；省略则与高度相同</translation>
    </message>
    <message>
        <source>Makes what is in images larger or smaller while training</source>
        <translation>训练时放大或缩小图像的内容</translation>
    </message>
    <message>
        <source>Largest change along the height, or a lower and an upper bound</source>
        <translation>沿高度的最大变化，或下界和上界</translation>
    </message>
    <message>
        <source>Output regularizer</source>
        <translation>输出正则化</translation>
    </message>
    <message>
        <source>Reads a sequence from both ends, with weights of its own for each direction</source>
        <translation>从两端读取序列，每个方向有自己的权重</translation>
    </message>
    <message>
        <source>The recurrent layer that reads in both directions</source>
        <translation>双向读取的循环层</translation>
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
        <source>Another layer for the way back; left out, one like the first</source>
        <translation>反向使用的另一个层；省略时与第一个相同</translation>
    </message>
    <message>
        <source>Backward layer</source>
        <translation>反向层</translation>
    </message>
    <message>
        <source>Reads a sequence of images step by step, as LSTM does, with convolutions as products</source>
        <translation>像 LSTM 一样逐步读取图像序列，以卷积代替乘积</translation>
    </message>
    <message>
        <source>The reset gate works on the product of the state, not on the state</source>
        <translation>重置门作用于状态的乘积，而不是状态本身</translation>
    </message>
    <message>
        <source>Reset after the product</source>
        <translation>乘积之后重置</translation>
    </message>
    <message>
        <source>Reads a sequence step by step with a state that two gates renew</source>
        <translation>逐步读取序列，状态由两个门更新</translation>
    </message>
    <message>
        <source>Reads a sequence step by step with a memory that gates write, keep and show</source>
        <translation>逐步读取序列，记忆由门控制写入、保留和输出</translation>
    </message>
    <message>
        <source>The bias of the forget gate starts at one, so that the cell remembers at first</source>
        <translation>遗忘门的偏置从一开始，使单元起初能记住</translation>
    </message>
    <message>
        <source>Forget bias of one</source>
        <translation>遗忘偏置为一</translation>
    </message>
    <message>
        <source>Numbers of the state, which is the output of a step</source>
        <translation>状态的数值个数，状态即一步的输出</translation>
    </message>
    <message>
        <source>Function of the gates</source>
        <translation>门的函数</translation>
    </message>
    <message>
        <source>Gate activation</source>
        <translation>门的激活函数</translation>
    </message>
    <message>
        <source>Give the output of each step, not of the last alone</source>
        <translation>给出每一步的输出，而不只是最后一步</translation>
    </message>
    <message>
        <source>Return sequences</source>
        <translation>返回序列</translation>
    </message>
    <message>
        <source>Go from the last step to the first; a sequence comes out in that order</source>
        <translation>从最后一步走到第一步；序列按此顺序输出</translation>
    </message>
    <message>
        <source>Go backwards</source>
        <translation>反向进行</translation>
    </message>
    <message>
        <source>Stateful</source>
        <translation>保留状态</translation>
    </message>
    <message>
        <source>Share of the inputs that is left out while training, the same at each step</source>
        <translation>训练时舍弃的输入比例，每一步相同</translation>
    </message>
    <message>
        <source>Share of the state that is left out before its product while training, the same at each step</source>
        <translation>训练时在乘积之前舍弃的状态比例，每一步相同</translation>
    </message>
    <message>
        <source>Recurrent dropout</source>
        <translation>循环随机失活</translation>
    </message>
    <message>
        <source>Recurrent kernel starts as</source>
        <translation>循环核的初始值</translation>
    </message>
    <message>
        <source>Recurrent kernel regularizer</source>
        <translation>循环核正则化</translation>
    </message>
    <message>
        <source>Reads a sequence step by step, each from the input and the step before</source>
        <translation>逐步读取序列，每一步由输入和前一步得出</translation>
    </message>
    <message>
        <source>Applies a layer to each step of a sequence, with the same weights</source>
        <translation>以相同的权重将一个层应用于序列的每一步</translation>
    </message>
    <message>
        <source>What each step goes through</source>
        <translation>每一步经过的层</translation>
    </message>
    <message>
        <source>Divides the weights of a layer by their largest singular value: it stretches nothing</source>
        <translation>把一层的权重除以其最大奇异值：它不再拉伸任何东西</translation>
    </message>
    <message>
        <source>The layer whose weights are divided</source>
        <translation>权重被除的层</translation>
    </message>
    <message>
        <source>How often the singular vectors are made better at each step</source>
        <translation>每一步改进奇异向量的次数</translation>
    </message>
    <message>
        <source>Iterations</source>
        <translation>迭代次数</translation>
    </message>
    <message>
        <source>How the outputs of both directions become one; null: both are given, the backward one as NAME:1</source>
        <translation>两个方向的输出如何合为一个；null：两个都给出，反向的输出为 NAME:1</translation>
    </message>
    <message>
        <source>Give the last state, too: further layers take it as NAME:1, the cell state of an LSTM as NAME:2</source>
        <translation>同时给出最后的状态：其他层以 NAME:1 引用它，LSTM 的单元状态为 NAME:2</translation>
    </message>
    <message>
        <source>Return state</source>
        <translation>返回状态</translation>
    </message>
    <message>
        <source>A step sees those less than so many steps away; left out, all</source>
        <translation>每一步只看到距离小于此步数的步；省略则看到全部</translation>
    </message>
    <message>
        <source>Sliding window</source>
        <translation>滑动窗口</translation>
    </message>
    <message>
        <source>The heads are multiplied by gates between 0 and 1 that the query opens</source>
        <translation>各个头乘以由查询打开的 0 到 1 之间的门</translation>
    </message>
    <message>
        <source>Gate</source>
        <translation>门</translation>
    </message>
    <message>
        <source>Sizes of what is drawn, with the batch: along a dimension of 1 all stay or go together; null: as the input; left out, each value by itself</source>
        <translation>随机掩码的大小，含批：大小为 1 的维度上一起保留或舍去；null：与输入相同；省略则每个值各自决定</translation>
    </message>
    <message>
        <source>Noise shape</source>
        <translation>噪声形状</translation>
    </message>
    <message>
        <source>Where the channels stand: [height, width, channels] or [channels, height, width]</source>
        <translation>通道的位置：[高, 宽, 通道] 或 [通道, 高, 宽]</translation>
    </message>
    <message>
        <source>Data format</source>
        <translation>数据格式</translation>
    </message>
    <message>
        <source>How Keras computes it; here it makes no difference</source>
        <translation>Keras 的计算方式；在这里没有区别</translation>
    </message>
    <message>
        <source>Way of computing</source>
        <translation>计算方式</translation>
    </message>
    <message>
        <source>Dimensions along which steps see each other; left out, all but batch and features</source>
        <translation>各步沿哪些维度相互看见；省略则为批和特征以外的全部</translation>
    </message>
    <message>
        <source>Attention axes</source>
        <translation>注意力轴</translation>
    </message>
    <message>
        <source>nearest: the nearest cell; bilinear: straight lines between the cells; bicubic, lanczos3 and lanczos5: curves over four, six and ten cells</source>
        <translation>nearest：最近的格；bilinear：格之间的直线；bicubic、lanczos3 和 lanczos5：跨四、六、十个格的曲线</translation>
    </message>
    <message>
        <source>Factor, or one for each place of the last dimension</source>
        <translation>系数，或最后一维每个位置各一个</translation>
    </message>
    <message>
        <source>Added after it; one number, or one for each place of the last dimension</source>
        <translation>之后加上的数；一个数，或最后一维每个位置各一个</translation>
    </message>
    <message>
        <source>Cut the image to the wanted proportions, around its middle</source>
        <translation>以中心为准将图像裁成所需比例</translation>
    </message>
    <message>
        <source>Crop to proportions</source>
        <translation>按比例裁剪</translation>
    </message>
    <message>
        <source>Fill the image up to the wanted proportions, the same on both sides</source>
        <translation>两侧等量填充图像到所需比例</translation>
    </message>
    <message>
        <source>Pad to proportions</source>
        <translation>按比例填充</translation>
    </message>
    <message>
        <source>What the image is filled up with: one number</source>
        <translation>图像用什么填充：一个数</translation>
    </message>
    <message>
        <source>Fill mode</source>
        <translation>填充方式</translation>
    </message>
    <message>
        <source>What it is filled up with</source>
        <translation>用来填充的值</translation>
    </message>
    <message>
        <source>Making smaller, each new cell looks at all the cells it stands for</source>
        <translation>缩小时，每个新格考虑它所代表的全部格</translation>
    </message>
    <message>
        <source>Antialias</source>
        <translation>抗锯齿</translation>
    </message>
    <message>
        <source>Limits of what renorm multiplies with and adds</source>
        <translation>renorm 所乘和所加之值的界限</translation>
    </message>
    <message>
        <source>Largest factor; none: any</source>
        <translation>最大系数；无：任意</translation>
    </message>
    <message>
        <source>Largest factor</source>
        <translation>最大系数</translation>
    </message>
    <message>
        <source>Smallest factor; none: any</source>
        <translation>最小系数；无：任意</translation>
    </message>
    <message>
        <source>Smallest factor</source>
        <translation>最小系数</translation>
    </message>
    <message>
        <source>Largest shift to either side; none: any</source>
        <translation>向两侧的最大偏移；无：任意</translation>
    </message>
    <message>
        <source>Largest shift</source>
        <translation>最大偏移</translation>
    </message>
    <message>
        <source>While training, too, values are brought to a mean and deviation that move slowly: for small batches</source>
        <translation>训练时也把数值归到缓慢变化的均值和标准差：适合小批次</translation>
    </message>
    <message>
        <source>Renormalize</source>
        <translation>重归一化</translation>
    </message>
    <message>
        <source>How far renorm may take values from the batch&apos;s own mean and deviation</source>
        <translation>renorm 可使数值偏离本批次均值和标准差的程度</translation>
    </message>
    <message>
        <source>Renorm limits</source>
        <translation>重归一化界限</translation>
    </message>
    <message>
        <source>How slowly the mean and deviation of renorm follow the batches</source>
        <translation>renorm 的均值和标准差跟随批次的快慢</translation>
    </message>
    <message>
        <source>Renorm momentum</source>
        <translation>重归一化动量</translation>
    </message>
    <message>
        <source>A batch goes on from the state of the one before: while training for good, all of one size; in an evaluation from zeros at its first batch. Predictions begin with zeros</source>
        <translation>每个批次从前一批次的状态继续：训练时一直如此，且所有批次大小相同；评估时第一个批次从零开始。预测从零开始</translation>
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
        <translation>要打开的项目文件（默认：上次的项目）。</translation>
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
        <source>Trigger the named action at startup, for example run.train or view.page3.</source>
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
        <translation>本次使用的语言：en 或 zh_CN。</translation>
    </message>
</context>
<context>
    <name>pass</name>
    <message>
        <source>Removes operations whose results nothing reads</source>
        <translation>删除结果无人读取的运算</translation>
    </message>
    <message>
        <source>Computes equal things once</source>
        <translation>相同的内容只计算一次</translation>
    </message>
    <message>
        <source>Softmax or sigmoid and its cross-entropy in one stable operation</source>
        <translation>将 softmax 或 sigmoid 与其交叉熵合成一个数值稳定的运算</translation>
    </message>
    <message>
        <source>Writes what can be said in several ways in one way; drops pairs that cancel</source>
        <translation>将多种写法统一为一种；去掉相互抵消的运算对</translation>
    </message>
    <message>
        <source>Computes what depends on constants alone once, before training</source>
        <translation>只依赖常量的部分在训练前计算一次</translation>
    </message>
    <message>
        <source>Drops additions of 0 and products with 1; joins chains of scalings</source>
        <translation>去掉加 0 和乘 1；合并连续的缩放</translation>
    </message>
    <message>
        <source>Adds biases and applies activations inside products and convolutions</source>
        <translation>在矩阵乘法和卷积内部加偏置并应用激活函数</translation>
    </message>
    <message>
        <source>Adds shortcuts and applies relu inside batch normalization</source>
        <translation>在批归一化内部加上捷径并应用 relu</translation>
    </message>
    <message>
        <source>Updates dense weights while their gradient is made</source>
        <translation>在计算梯度的同时更新全连接权重</translation>
    </message>
    <message>
        <source>Applies activations while max pooling writes its result</source>
        <translation>在最大池化写出结果时应用激活函数</translation>
    </message>
    <message>
        <source>Runs chains of elementwise operations as one</source>
        <translation>将连续的逐元素运算作为一个执行</translation>
    </message>
    <message>
        <source>Puts updates of weights last and makes values just before they are read</source>
        <translation>将权重更新放在最后，并在读取之前才计算各值</translation>
    </message>
    <message>
        <source>Makes values again in the backward part instead of keeping them, where a memory limit asks for it</source>
        <translation>在内存上限要求时，于反向部分重新计算值而不保留</translation>
    </message>
    <message>
        <source>Lets results lie over operands that nothing reads any more</source>
        <translation>让结果覆盖不再被读取的操作数</translation>
    </message>
    <message>
        <source>Computes the slope and bias gradient before a max pool&apos;s gradient is spread, on the smaller side</source>
        <translation>在展开最大池化的梯度之前，于较小的一侧计算斜率和偏置的梯度</translation>
    </message>
    <message>
        <source>Takes the fastest of several kernels for an operation, as timed on this machine</source>
        <translation>按本机计时，为操作选用几个内核中最快的一个</translation>
    </message>
    <message>
        <source>Joins small products of one input; where they are many, the workers make them side by side</source>
        <translation>合并同一输入的小型乘积；数量较多时由各线程并行计算</translation>
    </message>
</context>
<context>
    <name>problem</name>
    <message>
        <source>Blocks are in Blocks too deep (expected at most %1 levels). Put its layers where the Block is.</source>
        <translation>Block 嵌套过深（最多应为 %1 级）。请把其中的层直接放在该 Block 的位置。</translation>
    </message>
    <message>
        <source>an Input cannot be in a Block, whose first layer takes what goes into the Block. Remove it.</source>
        <translation>Input 不能放在 Block 中，Block 的第一层接收进入 Block 的内容。请将其移除。</translation>
    </message>
    <message>
        <source>it has %1 inputs, and each repeat takes the one output before it (expected 1). Join them first.</source>
        <translation>它有 %1 个输入，而每次重复只接收前一次的一个输出（应为 1）。请先将它们合并。</translation>
    </message>
    <message>
        <source>no layer takes its output, and the Block ends in %1, its last layer (expected one end). Connect it or remove it.</source>
        <translation>没有层接收它的输出，而该 Block 以最后一层 %1 结束（应只有一个末端）。请连接或移除它。</translation>
    </message>
    <message>
        <source>repeat %1 of %2 does not take what the one before gives: %3</source>
        <translation>第 %1 次重复（共 %2 次）不能接收前一次的输出：%3</translation>
    </message>
    <message>
        <source>repeated it makes the network larger than %1 layers (%2 times %3). Repeat it less.</source>
        <translation>重复之后网络超过 %1 层（%2 乘以 %3）。请减少重复次数。</translation>
    </message>
    <message>
        <source>the Block holds no layers (expected one or more). Add one, or remove the Block.</source>
        <translation>该 Block 中没有层（应至少有一个）。请添加一个，或移除该 Block。</translation>
    </message>
    <message>
        <source>the first layer of a Block takes the Block&apos;s input (expected no inputs, got %1). Remove them.</source>
        <translation>Block 的第一层接收 Block 的输入（不应有 inputs，实际为 %1）。请将其移除。</translation>
    </message>
    <message>
        <source>the input %1 is %2 (expected %3, as %4). Make both the same size.</source>
        <translation>输入 %1 的形状为 %2（应与 %4 相同，为 %3）。请使两者大小一致。</translation>
    </message>
    <message>
        <source>axis is %1 (expected 1 to %2, or -1 for the last). Set it to -1.</source>
        <translation>axis 为 %1（应为 1 到 %2，或用 -1 表示最后一维）。请设为 -1。</translation>
    </message>
    <message>
        <source>the input %1 is %2 (expected %3 but for axis %4, as %5). Make the other sizes the same.</source>
        <translation>输入 %1 的形状为 %2（除第 %4 维外应与 %5 相同，为 %3）。请使其余大小一致。</translation>
    </message>
    <message>
        <source>groups is %1, which does not divide the %2 channels of the input (expected a divisor). Set groups to 1 or to a divisor.</source>
        <translation>groups 为 %1，不能整除输入的 %2 个通道（应为其约数）。请将 groups 设为 1 或一个约数。</translation>
    </message>
    <message>
        <source>filters is %1 (expected a multiple of groups, %2). Change one of them.</source>
        <translation>filters 为 %1（应为 groups 即 %2 的倍数）。请修改其中之一。</translation>
    </message>
    <message>
        <source>the input is %1 (expected [features]). Put a Reshape before it.</source>
        <translation>输入的形状为 %1（应为 [特征数]）。请在它之前放一个 Reshape。</translation>
    </message>
    <message>
        <source>the window of %1 does not fit into an image of %2 (expected at most its size). Make it smaller, or set padding to same.</source>
        <translation>%1 的窗口超出了 %2 的图像（最大为图像的大小）。请将窗口改小，或将 padding 设为 same。</translation>
    </message>
    <message>
        <source>%1 is more than can be computed with (expected at most %2 values). Make the layer smaller.</source>
        <translation>%1 超出了可计算的规模（最多 %2 个值）。请将该层改小。</translation>
    </message>
    <message>
        <source>the input is %1 (expected an image: %2). Put a Reshape before it, or take another input.</source>
        <translation>输入的形状为 %1（应为图像：%2）。请在它之前放一个 Reshape，或改用其他输入。</translation>
    </message>
    <message>
        <source>the input is %1 (expected %2). Put a Flatten or Reshape before it.</source>
        <translation>输入的形状为 %1（应为 %2）。请在它之前放一个 Flatten 或 Reshape。</translation>
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
        <source>target_shape %1 does not hold the %2 values of the input %3 (expected the same count, at most one -1). Change target_shape.</source>
        <translation>target_shape %1 与输入 %3 的 %2 个值不符（总数应相同，最多一个 -1）。请修改 target_shape。</translation>
    </message>
    <message>
        <source>%1 is not of its type (expected %2, got %3). Correct it.</source>
        <translation>%1 的类型不对（应为%2，实际为 %3）。请改正。</translation>
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
        <source>%1 has no such choice (expected one of: %3, got &quot;%2&quot;). Choose one.</source>
        <translation>%1 没有这个选项（应为其中之一：%3，实际为“%2”）。请选择一个。</translation>
    </message>
    <message>
        <source>%1 has %2 dimensions (expected at most %3). Use fewer.</source>
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
        <translation>%1 不是 %2 的字段，不起作用。是否应为 %3？</translation>
    </message>
    <message>
        <source>%1 is not of its type (expected a name or an object with &quot;type&quot;, got %2). Correct it.</source>
        <translation>%1 的类型不对（应为名称或带“type”的对象，实际为 %2）。请改正。</translation>
    </message>
    <message>
        <source>there is no %1 &quot;%2&quot; (expected one of: %3). Choose one.</source>
        <translation>没有名为 &quot;%2&quot; 的 %1（应为以下之一：%3）。请选择一个。</translation>
    </message>
    <message>
        <source>Change %1 to %2</source>
        <translation>将 %1 改为 %2</translation>
    </message>
    <message>
        <source>the network has no layers. Add an Input and what follows it.</source>
        <translation>网络没有层。请添加一个 Input 及其后续的层。</translation>
    </message>
    <message>
        <source>layer %1 is not an object (expected {&quot;type&quot;, &quot;name&quot;, ...}). Correct it.</source>
        <translation>第 %1 层不是对象（应为 {&quot;type&quot;, &quot;name&quot;, ...}）。请更正。</translation>
    </message>
    <message>
        <source>layer %1 has no name (expected a text that no other layer has). Name it.</source>
        <translation>第 %1 层没有名称（应为与其他层不同的文本）。请命名。</translation>
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
        <source>the name is taken by a value that every step has (expected any other). Rename the layer.</source>
        <translation>该名称已被每一步都有的一个值占用（应为其他名称）。请重命名该层。</translation>
    </message>
    <message>
        <source>the name holds &apos;/&apos;, &apos;:&apos; or a control character (expected others, as weights are named by it). Rename the layer.</source>
        <translation>名称含有 &apos;/&apos;、&apos;:&apos; 或控制字符（权重按层名命名，应使用其他字符）。请重命名该层。</translation>
    </message>
    <message>
        <source>layers %1 and %2 have the same name (expected each name once). Rename one of them.</source>
        <translation>层 %1 和 %2 同名（每个名称只能出现一次）。请重命名其中之一。</translation>
    </message>
    <message>
        <source>Rename the second to %1</source>
        <translation>将第二个重命名为 %1</translation>
    </message>
    <message>
        <source>type is missing (expected a layer type such as &quot;Dense&quot;). Add it.</source>
        <translation>缺少 type（应为层类型，例如 &quot;Dense&quot;）。请添加。</translation>
    </message>
    <message>
        <source>this version has no layer type &quot;%1&quot; (see `strata layers`). Choose another.</source>
        <translation>此版本没有层类型 &quot;%1&quot;（见 `strata layers`）。请另选一个。</translation>
    </message>
    <message>
        <source>this version has no layer type &quot;%1&quot;. Did you mean &quot;%2&quot;?</source>
        <translation>此版本没有层类型 &quot;%1&quot;。是否应为 &quot;%2&quot;？</translation>
    </message>
    <message>
        <source>device is %1, and this version trains on one device (expected 0). Remove it.</source>
        <translation>device 为 %1，而此版本只在一个设备上训练（应为 0）。请将其删除。</translation>
    </message>
    <message>
        <source>Add an Input of [28, 28, 1]</source>
        <translation>添加形状为 [28, 28, 1] 的 Input</translation>
    </message>
    <message>
        <source>nothing comes before it (expected an Input layer). Add an Input at the top.</source>
        <translation>它之前没有任何层（应有 Input 层）。请在最上方添加一个 Input。</translation>
    </message>
    <message>
        <source>Take %1 as input</source>
        <translation>以 %1 为输入</translation>
    </message>
    <message>
        <source>its input &quot;%1&quot; does not exist. Did you mean &quot;%2&quot;?</source>
        <translation>它的输入 &quot;%1&quot; 不存在。是否应为 &quot;%2&quot;？</translation>
    </message>
    <message>
        <source>its input &quot;%1&quot; does not exist (expected the name of a layer). Choose one.</source>
        <translation>它的输入 &quot;%1&quot; 不存在（应为某层的名称）。请选择一个。</translation>
    </message>
    <message>
        <source>it has too few inputs (expected at least %2, got %1). Connect it.</source>
        <translation>它的输入太少（至少应为 %2 个，实际为 %1 个）。请连接它。</translation>
    </message>
    <message>
        <source>it has %1 inputs (expected %2). Join them with Add or Concatenate, or remove some.</source>
        <translation>它有 %1 个输入（应为 %2 个）。请用 Add 或 Concatenate 合并，或删除一部分。</translation>
    </message>
    <message>
        <source>Keep %1 only</source>
        <translation>只保留 %1</translation>
    </message>
    <message>
        <source>its output comes back to it: %1 (expected a network without a circle). Change the inputs of one of these layers.</source>
        <translation>它的输出又回到自身：%1（网络不应有环）。请修改其中一层的输入。</translation>
    </message>
    <message>
        <source>every layer is frozen, so nothing is learned. Set trainable of a layer to true.</source>
        <translation>所有层都被冻结，学不到任何东西。请将某一层的 trainable 设为 true。</translation>
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
        <source>%1 needs class numbers as targets, and the data&apos;s are values. Choose mean_squared_error, or another source.</source>
        <translation>%1 需要类别编号作为目标，而数据的目标是数值。请选择 mean_squared_error，或另一个数据源。</translation>
    </message>
    <message>
        <source>the output is %1 (expected [%2], a number for each class of a sample). Put a Flatten and a Dense before the end.</source>
        <translation>输出的形状为 %1（应为 [%2]，每个样本每个类别一个数）。请在末尾之前放一个 Flatten 和一个 Dense。</translation>
    </message>
    <message>
        <source>the network has %1 outputs (expected at least %2, a number for each class of the data). Give it more.</source>
        <translation>网络有 %1 个输出（至少应为 %2 个，数据的每个类别一个数）。请增加输出。</translation>
    </message>
    <message>
        <source>the output is %1 (expected %2 values, as the data&apos;s targets have). Change its size or the loss.</source>
        <translation>输出的形状为 %1（应为 %2 个值，与数据的目标相同）。请修改其大小或损失。</translation>
    </message>
    <message>
        <source>it ends in %1, and the loss is set to from_logits. It is computed from what comes before %1; set from_logits to false.</source>
        <translation>它以 %1 结尾，而损失设置了 from_logits。损失将由 %1 之前的值计算；请将 from_logits 设为 false。</translation>
    </message>
    <message>
        <source>the loss %1 expects probabilities, and the network ends in %2 (expected %3). Change the activation, or set from_logits of the loss to true.</source>
        <translation>损失 %1 需要概率，而网络以 %2 结尾（应为 %3）。请修改激活函数，或将损失的 from_logits 设为 true。</translation>
    </message>
    <message>
        <source>the network has one output, and %1 chooses between several: it can learn nothing. Use an output for each class.</source>
        <translation>网络只有一个输出，而 %1 要在多个输出之间选择：它什么也学不到。请让每个类别有一个输出。</translation>
    </message>
    <message>
        <source>the metric %1 compares values, and the targets of %2 are class numbers. Use accuracy.</source>
        <translation>指标 %1 比较数值，而 %2 的目标是类别编号。请使用 accuracy。</translation>
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
        <source>%1 and %2 are both set (expected one way of clipping). Remove one of them.</source>
        <translation>%1 和 %2 同时设置（只能用一种裁剪方式）。请删除其中之一。</translation>
    </message>
    <message>
        <source>the metric %1 stands twice (expected once). Remove one of them.</source>
        <translation>指标 %1 出现了两次（应为一次）。请删除其中之一。</translation>
    </message>
    <message>
        <source>loss is missing (expected a name such as &quot;sparse_categorical_crossentropy&quot;). Add it.</source>
        <translation>缺少 loss（应为名称，例如 &quot;sparse_categorical_crossentropy&quot;）。请添加。</translation>
    </message>
    <message>
        <source>there is no device &quot;%1&quot; (expected cpu, reference or cuda:0). Choose one.</source>
        <translation>没有设备 &quot;%1&quot;（应为 cpu、reference 或 cuda:0）。请选择一个。</translation>
    </message>
    <message>
        <source>there is no device &quot;%1&quot;. Did you mean &quot;%2&quot;?</source>
        <translation>没有设备 &quot;%1&quot;。是否应为 &quot;%2&quot;？</translation>
    </message>
    <message>
        <source>training on %1 devices is not in this version (expected %2). Choose one.</source>
        <translation>此版本不支持在 %1 个设备上训练（应为 %2）。请选择一个。</translation>
    </message>
    <message>
        <source>the device &quot;%1&quot; is not in this version (expected %2). Choose one.</source>
        <translation>此版本没有设备 &quot;%1&quot;（应为 %2）。请选择一个。</translation>
    </message>
    <message>
        <source>there is no device &quot;%1&quot; (expected %2). Choose one.</source>
        <translation>没有设备 &quot;%1&quot;（应为 %2）。请选择一个。</translation>
    </message>
    <message>
        <source>the precision %1 is not in this version (expected float32). Set it to float32.</source>
        <translation>此版本没有精度 %1（应为 float32）。请设为 float32。</translation>
    </message>
    <message>
        <source>the strategy %1 is not in this version (expected mirrored). Set it to mirrored.</source>
        <translation>此版本没有策略 %1（应为 mirrored）。请设为 mirrored。</translation>
    </message>
    <message>
        <source>there is no pass &quot;%1&quot;. Did you mean &quot;%2&quot;?</source>
        <translation>没有优化遍 &quot;%1&quot;。是否应为 &quot;%2&quot;？</translation>
    </message>
    <message>
        <source>the network has %1 output (expected at least %2, a number for each class of the data). Give it more.</source>
        <translation>网络有 %1 个输出（至少应为 %2 个，数据的每个类别一个数）。请增加输出。</translation>
    </message>
    <message>
        <source>the output is %1 (expected %2 value, as the data&apos;s targets have). Change its size or the loss.</source>
        <translation>输出的形状为 %1（应为 %2 个值，与数据的目标相同）。请修改其大小或损失。</translation>
    </message>
    <message>
        <source>%1 is %2 (expected 1 to %3, or -1 for the last). Set it to -1.</source>
        <translation>%1 是 %2（应为 1 到 %3，或 -1 表示最后一个）。请设为 -1。</translation>
    </message>
    <message>
        <source>the inputs have %1 and %2 values along axes (expected the same count). Choose other axes.</source>
        <translation>两个输入沿 axes 有 %1 个和 %2 个值（应相同）。请选择其他轴。</translation>
    </message>
    <message>
        <source>the window of %1 steps does not fit into a sequence of %2 (expected at most its length). Make it shorter, or set padding to same.</source>
        <translation>%1 步的窗口放不进 %2 步的序列（应不超过其长度）。请缩短窗口，或把 padding 设为 same。</translation>
    </message>
    <message>
        <source>%1 takes all %2 cells of the input %3 (expected less). Make it smaller.</source>
        <translation>%1 占去了输入 %3 的全部 %2 个格子（应更少）。请改小。</translation>
    </message>
    <message>
        <source>output_padding is %1 (expected less than strides, %2). Make it smaller.</source>
        <translation>output_padding 是 %1（应小于步幅 %2）。请改小。</translation>
    </message>
    <message>
        <source>dims is %1 (expected each of 1 to %2 once). Name every dimension of the input.</source>
        <translation>dims 是 %1（应为 1 到 %2 各一次）。请列出输入的每个维度。</translation>
    </message>
    <message>
        <source>the input has %1 channels (expected a multiple of %2, upscale_factor squared). Change one of them.</source>
        <translation>输入有 %1 个通道（应为 %2，即 upscale_factor 平方的倍数）。请修改其中之一。</translation>
    </message>
    <message>
        <source>values holds %1 rates and boundaries %2 steps (expected one rate more than steps, at least one step). Add or remove values.</source>
        <translation>values 有 %1 个学习率，boundaries 有 %2 个步（学习率应比步多一个，至少一个步）。请增减数值。</translation>
    </message>
    <message>
        <source>boundaries has %1 after %2 (expected rising steps). Put them in order.</source>
        <translation>boundaries 中 %1 在 %2 之后（步应递增）。请按顺序排列。</translation>
    </message>
    <message>
        <source>the query has %1 features and the key %2 (expected the same count). Put a Dense before one of them.</source>
        <translation>查询有 %1 个特征，键有 %2 个（应相同）。请在其中一个之前放一个 Dense。</translation>
    </message>
    <message>
        <source>the key %1 has %2 steps and the value %3 (expected the same count). Make both the same length.</source>
        <translation>键 %1 有 %2 步，值有 %3 步（应相同）。请使二者长度相同。</translation>
    </message>
    <message>
        <source>num_query_heads is %1 (expected a multiple of num_key_value_heads, %2). Change one of them.</source>
        <translation>num_query_heads 是 %1（应为 num_key_value_heads %2 的倍数）。请修改其中之一。</translation>
    </message>
    <message>
        <source>the window of %1 cells does not fit into %2 (expected at most the volume&apos;s size). Make it smaller, or set padding to same.</source>
        <translation>%1 个格子的窗口放不进 %2 个格子（应不超过体的大小）。请改小，或把 padding 设为 same。</translation>
    </message>
    <message>
        <source>the input has %1 steps (expected at most sequence_length, %2). Set it to %1 or more.</source>
        <translation>输入有 %1 步（应不超过 sequence_length %2）。请设为 %1 或更大。</translation>
    </message>
    <message>
        <source>the input has %1 features (expected an even count). Put a Dense of an even size before it.</source>
        <translation>输入有 %1 个特征（应为偶数）。请在它前面放一个大小为偶数的 Dense。</translation>
    </message>
    <message>
        <source>it takes its numbers from the training data, and its input is %1 (expected an Input). Put it behind the Input, or give the numbers.</source>
        <translation>它的数取自训练数据，而它的输入是 %1（应为 Input）。请把它放在 Input 之后，或直接给出数值。</translation>
    </message>
    <message>
        <source>%1 of bin_boundaries and num_bins is given (expected one of them). Set bin_boundaries or num_bins.</source>
        <translation>bin_boundaries 和 num_bins 中给出了 %1（应恰好给出一个）。请设置 bin_boundaries 或 num_bins。</translation>
    </message>
    <message>
        <source>the equation is &quot;%1&quot; (expected %2, such as &quot;abc,cd-&gt;abd&quot; or &quot;...x,xy-&gt;...y&quot;). Correct it.</source>
        <translation>等式是“%1”（应为 %2，例如 &quot;abc,cd-&gt;abd&quot; 或 &quot;...x,xy-&gt;...y&quot;）。请改正。</translation>
    </message>
    <message>
        <source>the equation names %1 dimensions of the input, and it has %2 with the batch (expected as many). Correct it.</source>
        <translation>等式写了输入的 %1 个维度，而输入连同批有 %2 个（应相同）。请改正。</translation>
    </message>
    <message>
        <source>output_shape holds %1 sizes, and the equation names %2 without the batch (expected as many). Change it.</source>
        <translation>output_shape 有 %1 个大小，而等式在批以外写了 %2 个（应相同）。请修改。</translation>
    </message>
    <message>
        <source>the size of %1 is %2 in output_shape and %3 in the input (expected the same). Change output_shape.</source>
        <translation>%1 的大小在 output_shape 中是 %2，在输入中是 %3（应相同）。请修改 output_shape。</translation>
    </message>
    <message>
        <source>bias_axes names %1 (expected letters of the output %2). Correct it.</source>
        <translation>bias_axes 写了 %1（应为输出 %2 中的字母）。请改正。</translation>
    </message>
    <message>
        <source>place %1 of the formula: %2 arguments (expected %3). Correct it.</source>
        <translation>公式第 %1 个字符处：%2 个参数（应为 %3 个）。请改正。</translation>
    </message>
    <message>
        <source>place %1 of the formula: %2 (expected %3). Correct it.</source>
        <translation>公式第 %1 个字符处：%2（应为 %3）。请改正。</translation>
    </message>
    <message>
        <source>initial_values holds %1 numbers for %2 parameters (expected one, or one each). Change it.</source>
        <translation>initial_values 有 %1 个数，而参数有 %2 个（应为一个，或每个参数一个）。请修改。</translation>
    </message>
    <message>
        <source>the parameter %1 has no name of its own (expected letters and digits, no input and no function). Rename it.</source>
        <translation>参数 %1 没有自己的名称（应由字母和数字组成，且不是输入或函数）。请改名。</translation>
    </message>
    <message>
        <source>the constraint&apos;s axis is %1, and %2 has the shape %3 (expected one of its axes). Change axis.</source>
        <translation>约束的轴是 %1，而 %2 的形状是 %3（应为其中一个轴）。请修改 axis。</translation>
    </message>
    <message>
        <source>%1 is for matrices, and these weights have the shape %2 (expected two dimensions). Choose another.</source>
        <translation>%1 用于矩阵，而这些权重的形状是 %2（应为两个维度）。请另选一个。</translation>
    </message>
    <message>
        <source>orthogonal_regularizer is for outputs of one dimension (expected [features], got %1). Choose another.</source>
        <translation>orthogonal_regularizer 用于一维输出（应为 [features]，实际为 %1）。请另选一个。</translation>
    </message>
    <message>
        <source>only one of mean and variance is given (expected both, or none: then they are taken from the data). Set %1.</source>
        <translation>mean 和 variance 只给了一个（应都给出，或都不给：那样就取自数据）。请设置 %1。</translation>
    </message>
    <message>
        <source>%1 holds %2 numbers (expected 1 or %3, as the input has channels). Change it.</source>
        <translation>%1 有 %2 个数（应为 1 个或 %3 个，与输入的通道数相同）。请修改。</translation>
    </message>
    <message>
        <source>%1 holds %2 numbers (expected one, or a lower and an upper bound). Change it.</source>
        <translation>%1 有 %2 个数（应为一个，或下界和上界）。请修改。</translation>
    </message>
    <message>
        <source>%1 is a %2 (expected a recurrent layer: SimpleRNN, GRU, LSTM or ConvLSTM2D). Choose one.</source>
        <translation>%1 是 %2（应为循环层：SimpleRNN、GRU、LSTM 或 ConvLSTM2D）。请选择其一。</translation>
    </message>
    <message>
        <source>both directions have go_backwards %1 (expected one forwards, the other backwards). Change one.</source>
        <translation>两个方向的 go_backwards 都是 %1（应一个正向、一个反向）。请更改其中一个。</translation>
    </message>
    <message>
        <source>return_sequences of both directions differ (expected the same). Change one of them.</source>
        <translation>两个方向的 return_sequences 不同（应相同）。请更改其中一个。</translation>
    </message>
    <message>
        <source>it has %1 inputs (expected the sequence alone, or with as many states for each direction). Connect them.</source>
        <translation>它有 %1 个输入（应只有序列，或再加上两个方向数量相同的状态）。请连接它们。</translation>
    </message>
    <message>
        <source>the directions give %1 and %2 (expected the same for merge_mode %3). Change units of one of them.</source>
        <translation>两个方向给出 %1 和 %2（merge_mode 为 %3 时应相同）。请更改其中一个的 units。</translation>
    </message>
    <message>
        <source>the input has %1 steps (expected 1 to %2). Take a shorter sequence.</source>
        <translation>输入有 %1 步（应为 1 到 %2）。请使用较短的序列。</translation>
    </message>
    <message>
        <source>the input is %1 (expected one step or more). Take another input.</source>
        <translation>输入为 %1（应有一步或更多）。请使用其他输入。</translation>
    </message>
    <message>
        <source>it has %1 inputs (expected the sequence alone, or with the %2 it begins with). Connect them.</source>
        <translation>它有 %1 个输入（应只有序列，或再加上起始的 %2）。请连接它们。</translation>
    </message>
    <message>
        <source>the state %1 is %2 (expected [%3], as units says). Change units, or take another input.</source>
        <translation>状态 %1 为 %2（按 units 应为 [%3]）。请更改 units，或使用其他输入。</translation>
    </message>
    <message>
        <source>the name of %1 is none (expected a text without &apos;/&apos; and &apos;:&apos;, got %2). Correct it.</source>
        <translation>%1 的名称无效（应为不含“/”和“:”的文本，实际为 %2）。请改正。</translation>
    </message>
    <message>
        <source>layer is a %1, which takes several inputs (expected a layer of one). Choose another.</source>
        <translation>layer 是 %1，它需要多个输入（应为单输入的层）。请选择其他层。</translation>
    </message>
    <message>
        <source>the input is %1 (expected steps with one dimension or more each). Put a Reshape before it.</source>
        <translation>输入为 %1（应为每步至少一个维度的序列）。请在前面放一个 Reshape。</translation>
    </message>
    <message>
        <source>its layer gives %1 for a step (expected fewer dimensions). Take another.</source>
        <translation>它的层每步给出 %1（应有更少的维度）。请使用其他层。</translation>
    </message>
    <message>
        <source>layer is a %1, which has no kernel (expected a layer with weights, such as Dense or Conv2D). Choose another.</source>
        <translation>layer 是 %1，它没有核（应为带权重的层，如 Dense 或 Conv2D）。请另选一个。</translation>
    </message>
    <message>
        <source>the loss is a mean over what counts in a batch (%1), and pieces of it would not weigh the same: gradient_accumulation_steps is %2 (expected 1). Set it to 1, or reduction of the loss to sum.</source>
        <translation>损失是对批次中计入部分（%1）取的平均，各分块的权重会不相同：gradient_accumulation_steps 为 %2（应为 1）。请将其设为 1，或将损失的 reduction 设为 sum。</translation>
    </message>
    <message>
        <source>batch_size is %1, and %2 samples train (expected at most that): every epoch is one step of all of them. Lower it.</source>
        <translation>batch_size 为 %1，而训练样本只有 %2 个（应不超过此数）：每个周期只有一步，使用全部样本。请减小它。</translation>
    </message>
    <message>
        <source>the data holds indices from 0 to %1 (expected at most %2, as input_dim is %3). Raise input_dim.</source>
        <translation>数据中的索引为 0 到 %1（因 input_dim 为 %3，最大应为 %2）。请增大 input_dim。</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>the output is %1 (expected steps with a number for each class). Keep the steps, and end in a Dense.</source>
        <translation>输出为 %1（应为各步上每个类别一个数）。请保留各步，并以 Dense 结束。</translation>
    </message>
    <message>
        <source>the data&apos;s targets are %1 (expected at most %2 labels a sample, as many as the output has steps). Give the output more steps.</source>
        <translation>数据的目标为 %1（每个样本最多应有 %2 个标签，即输出的步数）。请让输出有更多步。</translation>
    </message>
    <message>
        <source>the metric %1 compares step by step, and %2 has labels without places (expected no metrics). Remove it.</source>
        <translation>指标 %1 逐步比较，而 %2 的标签没有位置（不应有指标）。请去掉它。</translation>
    </message>
    <message>
        <source>%1 is not measured (expected one of: %2). Choose one, or add the metric.</source>
        <translation>没有测量 %1（应为以下之一：%2）。请选择一个，或添加该指标。</translation>
    </message>
    <message>
        <source>%1 is not measured (expected one of: %2). Did you mean &quot;%3&quot;?</source>
        <translation>没有测量 %1（应为以下之一：%2）。是否应为 &quot;%3&quot;？</translation>
    </message>
    <message>
        <source>of %1 neither more nor less is better by itself: mode is auto (expected min or max). Set it.</source>
        <translation>%1 本身无所谓越大或越小越好：mode 为 auto（应为 min 或 max）。请设置它。</translation>
    </message>
    <message>
        <source>%1 watches %2, and no samples validate (expected a validation_split above 0). Set validation_split of the data, or watch %3.</source>
        <translation>%1 监视 %2，但没有验证样本（validation_split 应大于 0）。请设置数据的 validation_split，或改为监视 %3。</translation>
    </message>
    <message>
        <source>%1 cannot change while it trains (expected one of: %2). Choose one.</source>
        <translation>%1 不能在训练中改变（应为以下之一：%2）。请选择一个。</translation>
    </message>
    <message>
        <source>%1 cannot change while it trains (expected one of: %2). Did you mean &quot;%3&quot;?</source>
        <translation>%1 不能在训练中改变（应为以下之一：%2）。是否应为 &quot;%3&quot;？</translation>
    </message>
    <message>
        <source>%1 and %2 are both set (expected one of them). Remove one of them.</source>
        <translation>%1 和 %2 同时设置（应只设其一）。请删除其中之一。</translation>
    </message>
    <message>
        <source>there is no layer &quot;%1&quot; (expected a name such as conv1, or block/conv1). Correct it.</source>
        <translation>没有名为 &quot;%1&quot; 的层（应为 conv1 或 block/conv1 这样的名称）。请更正。</translation>
    </message>
    <message>
        <source>there is no layer &quot;%1&quot;. Did you mean &quot;%2&quot;?</source>
        <translation>没有名为 &quot;%1&quot; 的层。是否应为 &quot;%2&quot;？</translation>
    </message>
    <message>
        <source>the last stage goes to the end of training, so its %1 has no effect. Remove it.</source>
        <translation>最后一个阶段持续到训练结束，因此其 %1 不起作用。请将其删除。</translation>
    </message>
    <message>
        <source>it says neither epochs nor steps (expected one, as another stage follows it). Add one.</source>
        <translation>它既没有 epochs 也没有 steps（其后还有阶段，应给出其一）。请添加。</translation>
    </message>
    <message>
        <source>%1 needs a probability for each class as target, and the data&apos;s targets are class numbers. Choose sparse_categorical_crossentropy, or add the transform one_hot.</source>
        <translation>%1 的目标需要每个类别一个概率，而数据的目标是类别编号。请选择 sparse_categorical_crossentropy，或添加变换 one_hot。</translation>
    </message>
    <message>
        <source>the state %1 is %2 (expected %3, as a step&apos;s output). Take another input.</source>
        <translation>状态 %1 为 %2（应为 %3，与每一步的输出相同）。请换用其他输入。</translation>
    </message>
    <message>
        <source>its input %1 is no output of %2 (expected one up to %2:%3). Choose one of them.</source>
        <translation>其输入 %1 不是 %2 的输出（最多到 %2:%3）。请选择其中之一。</translation>
    </message>
    <message>
        <source>its input %1 is a state that %2 does not give (expected %2). Set return_state of %2 to true.</source>
        <translation>其输入 %1 是 %2 未给出的状态（应为 %2）。请将 %2 的 return_state 设为 true。</translation>
    </message>
    <message>
        <source>its input %1 is no output of %2, which gives one (expected %2). Take it.</source>
        <translation>其输入 %1 不是 %2 的输出，%2 只有一个输出（应为 %2）。请使用它。</translation>
    </message>
    <message>
        <source>it has too few inputs (expected at least %2: %3; got %1). Connect it.</source>
        <translation>输入太少（至少应有 %2 个：%3；实际为 %1 个）。请连接它。</translation>
    </message>
    <message>
        <source>it is stateful, and %1 samples make no whole batches of %2 (expected batches of one size, as the state of one goes on in the next). Change batch_size, or the number of samples.</source>
        <translation>它保留状态，而 %1 个样本无法分成每批 %2 个的完整批次（各批大小应相同，因为一批的状态在下一批中继续）。请更改 batch_size 或样本数。</translation>
    </message>
    <message>
        <source>stft is for the kernel of a Conv1D of one channel (expected [frame, 1, filters], two filters at least, got %1). Choose another.</source>
        <translation>stft 用于单通道 Conv1D 的卷积核（应为 [frame, 1, filters]，至少两个滤波器，实为 %1）。请另选一个。</translation>
    </message>
    <message>
        <source>axis of %1 is %2 (expected 1 to %3, or -1 for the last). Set it to -1.</source>
        <translation>%1 的 axis 是 %2（应为 1 到 %3，或 -1 表示最后一维）。请设为 -1。</translation>
    </message>
    <message>
        <source>glu halves axis %1 (expected an even size there, got %2). Change the axis or what comes before it.</source>
        <translation>glu 把第 %1 维减半（该维大小应为偶数，实为 %2）。请更改该维，或之前的层。</translation>
    </message>
    <message>
        <source>%1 is %2, which cells do not compute (expected one that looks at each value alone, such as tanh). Choose another.</source>
        <translation>%1 是 %2，循环单元不能计算它（应为逐个值计算的激活函数，例如 tanh）。请另选一个。</translation>
    </message>
    <message>
        <source>attention_axes holds %1 (expected 1 to %2: neither the batch nor the features). Change it.</source>
        <translation>attention_axes 含有 %1（应为 1 到 %2：不能是批或特征）。请修改。</translation>
    </message>
    <message>
        <source>%1 is set and attention goes along %2 dimensions (expected one). Set attention_axes to one.</source>
        <translation>设置了 %1，而注意力沿 %2 个维度进行（应为一个）。请将 attention_axes 设为一个。</translation>
    </message>
    <message>
        <source>noise_shape is %1 (expected null or 1 in place of each of %2). Change it.</source>
        <translation>noise_shape 为 %1（%2 的每一项应换成 null 或 1）。请修改。</translation>
    </message>
    <message>
        <source>output_shape has %1 dimensions (expected at most %2). Take fewer.</source>
        <translation>output_shape 有 %1 个维度（最多应为 %2 个）。请减少。</translation>
    </message>
    <message>
        <source>%1 holds %2 numbers (expected 1 or %3, as the last dimension of the input). Change it.</source>
        <translation>%1 有 %2 个数（应为 1 个或 %3 个，与输入的最后一维相同）。请修改。</translation>
    </message>
    <message>
        <source>crop_to_aspect_ratio and pad_to_aspect_ratio are both true (expected one of them). Set one to false.</source>
        <translation>crop_to_aspect_ratio 和 pad_to_aspect_ratio 都为 true（应只有其一）。请将其中一个设为 false。</translation>
    </message>
    <message>
        <source>type is no layer type (expected a name such as &quot;Dense&quot;, got %1). Correct it.</source>
        <translation>type 不是层的类型（应为 &quot;Dense&quot; 这样的名称，实际为 %1）。请更正。</translation>
    </message>
    <message>
        <source>inputs is not of its type (expected a list of layer names, got %1). Correct it.</source>
        <translation>inputs 的类型不对（应为层名称的列表，实际为 %1）。请更正。</translation>
    </message>
    <message>
        <source>an Input takes no other layer (expected no inputs, got %1). Remove inputs.</source>
        <translation>Input 不接受其他层（不应有 inputs，实际有 %1 个）。请删除 inputs。</translation>
    </message>
    <message>
        <source>callbacks is not of its type (expected a list, got %1). Write [{&quot;type&quot;: &quot;EarlyStopping&quot;}].</source>
        <translation>callbacks 的类型不对（应为列表，实际为 %1）。请写成 [{&quot;type&quot;: &quot;EarlyStopping&quot;}]。</translation>
    </message>
    <message>
        <source>class_weight is not of its type (expected a number of at least 0 for each class, as in {&quot;0&quot;: 1.0, &quot;1&quot;: 3.0}, got %1). Correct it.</source>
        <translation>class_weight 的类型不对（应为每个类别给出至少为 0 的数，例如 {&quot;0&quot;: 1.0, &quot;1&quot;: 3.0}，实际为 %1）。请更正。</translation>
    </message>
    <message>
        <source>disabled_passes is not of its type (expected a list of names, got %1). Correct it.</source>
        <translation>disabled_passes 的类型不对（应为名称的列表，实际为 %1）。请更正。</translation>
    </message>
    <message>
        <source>changes is not of its type (expected a list, got %1). Write [{&quot;step&quot;: 100, &quot;name&quot;: &quot;learning_rate&quot;, &quot;value&quot;: 0.001}].</source>
        <translation>changes 的类型不对（应为列表，实际为 %1）。请写成 [{&quot;step&quot;: 100, &quot;name&quot;: &quot;learning_rate&quot;, &quot;value&quot;: 0.001}]。</translation>
    </message>
    <message>
        <source>a change is not of its type (expected an object with step, name and value, got %1). Correct it.</source>
        <translation>一项更改的类型不对（应为含有 step、name 和 value 的对象，实际为 %1）。请更正。</translation>
    </message>
    <message>
        <source>a stage is not of its type (expected an object such as {&quot;epochs&quot;: 2, &quot;trainable&quot;: [&quot;out&quot;]}, got %1). Correct it.</source>
        <translation>阶段的类型不对（应为对象，例如 {&quot;epochs&quot;: 2, &quot;trainable&quot;: [&quot;out&quot;]}，实际为 %1）。请更正。</translation>
    </message>
    <message>
        <source>stages is not of its type (expected a list, got %1). Write [{&quot;epochs&quot;: 1}, {}].</source>
        <translation>stages 的类型不对（应为列表，实际为 %1）。请写成 [{&quot;epochs&quot;: 1}, {}]。</translation>
    </message>
    <message>
        <source>outputs names &quot;%1&quot; (expected a layer of the network). Correct the name.</source>
        <translation>outputs 写了“%1”（应为网络中的一层）。请改正名称。</translation>
    </message>
    <message>
        <source>outputs names %1 twice (expected once). Remove one of them.</source>
        <translation>outputs 两次写了 %1（应为一次）。请删除其中一个。</translation>
    </message>
    <message>
        <source>no layer takes its output, and it is none of the outputs (expected %1). Connect it or remove it.</source>
        <translation>没有层使用它的输出，它也不在输出之列（应为 %1）。请连接它或将其删除。</translation>
    </message>
    <message>
        <source>no layer takes its output, and the network ends in %1 (expected one end, or a loss for each). Connect it, remove it, or set loss to an object by output.</source>
        <translation>没有层使用它的输出，而网络以 %1 结束（应只有一个终点，或每个终点各有损失）。请连接它、将其删除，或把 loss 设为按输出给出的对象。</translation>
    </message>
    <message>
        <source>class_weight is of the classes of one output, and the network is trained at %1 (expected one). Remove class_weight, or give the samples weights.</source>
        <translation>class_weight 属于一个输出的类别，而网络在 %1 个输出上训练（应为一个）。请删除 class_weight，或给样本加权。</translation>
    </message>
    <message>
        <source>loss must have an entry for each output (expected %1, for %2, got %3). Give each output a loss.</source>
        <translation>loss 必须为每个输出各给一项（应为 %1 项，用于 %2，实际为 %3）。请为每个输出给出损失。</translation>
    </message>
    <message>
        <source>%1 names &quot;%2&quot;, which is no output of the network (expected %3, got %2). Correct the name.</source>
        <translation>%1 写了“%2”，它不是网络的输出（应为 %3，实际为 %2）。请改正名称。</translation>
    </message>
    <message>
        <source>%1 must say what is meant for which output (expected an object by output, or a list of %2, for %3, got %4). Write it so.</source>
        <translation>%1 必须说明各项属于哪个输出（应为按输出给出的对象，或 %2 项的列表，用于 %3，实际为 %4）。请这样写。</translation>
    </message>
    <message>
        <source>outputs is not of its type (expected a list of names of layers, got %1). Correct it.</source>
        <translation>outputs 的类型不对（应为层名称的列表，实为 %1）。请改正。</translation>
    </message>
    <message>
        <source>the loss weight of %1 is not of its type (expected a number, got %2). Correct it.</source>
        <translation>%1 的损失权重类型不对（应为数字，实为 %2）。请改正。</translation>
    </message>
    <message>
        <source>rmax is %1 (expected at least rmin, %2). Change one of them.</source>
        <translation>rmax 为 %1（应不小于 rmin，即 %2）。请更改其中之一。</translation>
    </message>
    <message>
        <source>the mask of the input %1 is %2 (expected %3, as that of %4). Take inputs with the same steps, or without a mask.</source>
        <translation>输入 %1 的掩码为 %2（应为 %3，与 %4 的相同）。请使用步数相同或没有掩码的输入。</translation>
    </message>
    <message>
        <source>%1 holds numbers of shape %2 (expected one number or %3, as the input has along axis). Change it.</source>
        <translation>%1 的数字形状为 %2（应为一个数字或 %3，即输入沿 axis 的大小）。请更改。</translation>
    </message>
    <message>
        <source>strides and dilation_rate can&apos;t both be above 1 (expected 1 for one of them, got %1 and %2). Set one of them to 1.</source>
        <translation>strides 和 dilation_rate 不能同时大于 1（其中之一应为 1，得到 %1 和 %2）。请将其中之一设为 1。</translation>
    </message>
    <message>
        <source>there is no %1 &quot;%2&quot; (expected a name such as &quot;%3&quot;). Did you mean &quot;%3&quot;?</source>
        <translation>没有 %1“%2”（应为“%3”之类的名称）。是否指“%3”？</translation>
    </message>
    <message>
        <source>no output has a loss (expected one for at least one of %1, got null). Give one.</source>
        <translation>没有任何输出带有损失（%1 中至少一个应有损失，实际为 null）。请设置一个。</translation>
    </message>
    <message>
        <source>the output %1 has no loss (expected one for each of %2, got %3). Add it, connect %1, or set its loss to null so that it is not trained.</source>
        <translation>输出 %1 没有损失（%2 各需一个，实际有 %3）。请添加损失，或连接 %1，或将其损失设为 null 使其不参与训练。</translation>
    </message>
    <message>
        <source>%1 has no loss, so nothing of it is measured (expected no metrics of it, got %2). Remove them, or give it a loss.</source>
        <translation>%1 没有损失，因此不对它作任何测量（不应有指标，实际有 %2）。请移除这些指标，或为它设置损失。</translation>
    </message>
    <message>
        <source>axis is %1, the batch, whose rows are the samples (expected 1 to %2, or -1 for the last). Set it to -1.</source>
        <translation>axis 为 %1，即批次，其中每一行是一个样本（应为 1 到 %2，或用 -1 表示最后一个）。请将其设为 -1。</translation>
    </message>
    <message>
        <source>ReduceLROnPlateau lowers a learning rate that is a number, and %1 is a schedule. Remove one of them.</source>
        <translation>ReduceLROnPlateau 降低的是数值形式的学习率，而 %1 是一个调度。请删除其中之一。</translation>
    </message>
    <message>
        <source>it is stateful, and a batch is cut into %1 pieces, while the state of one batch goes on in the next (expected gradient_accumulation_steps 1). Set it to 1.</source>
        <translation>该层为 stateful，而批次被切成 %1 份，但一个批次的状态要延续到下一个批次（gradient_accumulation_steps 应为 1）。请将其设为 1。</translation>
    </message>
    <message>
        <source>%1 is not of its type (expected a list, got %2). Write [&quot;accuracy&quot;].</source>
        <translation>%1 的类型不对（应为列表，实际为 %2）。请写成 [&quot;accuracy&quot;]。</translation>
    </message>
    <message>
        <source>there is no pass &quot;%1&quot; (expected one of %2). Correct it, or remove it.</source>
        <translation>没有优化遍 &quot;%1&quot;（应为 %2 之一）。请更正或删除它。</translation>
    </message>
    <message>
        <source>no layer learns in this stage (expected one or more, got []). Name some, or remove trainable.</source>
        <translation>这一阶段没有层学习（应有一个或多个，实际为 []）。请列出一些层，或删除 trainable。</translation>
    </message>
    <message>
        <source>stage %1 never begins: the stages before it last %2 epochs (expected less than the %3 of training). Raise epochs of training.</source>
        <translation>第 %1 阶段永远不会开始：它之前的阶段共 %2 轮（应少于训练的 %3 轮）。请增加训练的 epochs。</translation>
    </message>
    <message>
        <source>none of these layers has weights (expected one that has), so this stage learns nothing. Name others.</source>
        <translation>这些层都没有权重（应至少有一层有），因此此阶段什么也学不到。请改用其他层。</translation>
    </message>
    <message>
        <source>all layers with weights are frozen (expected one that is not), so this stage learns nothing. Name fewer.</source>
        <translation>所有带权重的层都已冻结（应至少有一层未冻结），因此此阶段什么也学不到。请少列几层。</translation>
    </message>
    <message>
        <source>a batch of %1 is to be cut into %2 pieces (expected at most as many as it has samples): it is cut into %1. Lower it.</source>
        <translation>%1 个样本的批次要分成 %2 份（最多只能与样本数相同）：实际分成 %1 份。请减小它。</translation>
    </message>
    <message>
        <source>class %1 has a weight, and the data has classes from 0 to %2 alone. Remove it.</source>
        <translation>类别 %1 设有权重，而数据只有 0 到 %2 的类别。请删除它。</translation>
    </message>
    <message>
        <source>attention_axes holds %1 twice (expected each dimension once). Remove one.</source>
        <translation>attention_axes 中 %1 出现了两次（每个维度应只有一次）。请去掉一个。</translation>
    </message>
    <message>
        <source>%1 has no effect: the pass %2 is disabled. Set it to none, or take %2 out of %3.</source>
        <translation>%1 不起作用：优化过程 %2 已停用。请把它设为 none，或从 %3 中去掉 %2。</translation>
    </message>
    <message>
        <source>the formula is %1 bytes long (expected at most %2). Make several layers of it.</source>
        <translation>公式长 %1 字节（应至多 %2）。请拆成多个层。</translation>
    </message>
    <message>
        <source>parameters holds %1 twice (expected each name once). Remove one.</source>
        <translation>parameters 中 %1 出现了两次（每个名称应只有一次）。请去掉一个。</translation>
    </message>
    <message>
        <source>value_range is %1 (expected a smaller value and a larger one, such as [0, 255]). Change it.</source>
        <translation>value_range 为 %1（应先是较小的值，再是较大的值，例如 [0, 255]）。请修改。</translation>
    </message>
    <message>
        <source>the change of %1 at step %2 never counts: training ends with step %3 (expected at most that). Change its step, or raise epochs of training.</source>
        <translation>%1 在第 %2 步的变更不会生效：训练到第 %3 步结束（步数不应超过它）。请修改步数，或增加训练的 epochs。</translation>
    </message>
    <message>
        <source>bin_boundaries is %1 (expected rising numbers, such as [0, 1, 2]). Sort them.</source>
        <translation>bin_boundaries 为 %1（应为递增的数，例如 [0, 1, 2]）。请排序。</translation>
    </message>
    <message>
        <source>%1 holds the dimension %2 twice (expected each once, got %3). Remove one.</source>
        <translation>%1 中维度 %2 出现了两次（每个应只有一次，实际为 %3）。请去掉一个。</translation>
    </message>
    <message>
        <source>the result would have %1 dimensions (expected at most %2). Put Reshape or Flatten before it.</source>
        <translation>结果会有 %1 个维度（最多应为 %2 个）。请在它之前放一个 Reshape 或 Flatten。</translation>
    </message>
    <message>
        <source>Insert %1 before %2</source>
        <translation>在 %2 前插入 %1</translation>
    </message>
    <message>
        <source>Insert Reshape to %1 before %2</source>
        <translation>在 %2 前插入 Reshape，变为 %1</translation>
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
        <source>Set %1 of %2 to %3, padding of %4 to same</source>
        <translation>将 %2 的 %1 设为 %3，将 %4 的 padding 设为 same</translation>
    </message>
    <message>
        <source>Add %1 as input</source>
        <translation>将 %1 加为输入</translation>
    </message>
    <message>
        <source>Add Flatten and Dense of %1 units</source>
        <translation>添加 Flatten 和 %1 个单元的 Dense</translation>
    </message>
    <message>
        <source>the network has %1 outputs, and the data has %2 classes (expected one output for each class): the others stay unused.</source>
        <translation>网络有 %1 个输出，而数据只有 %2 个类别（应为每个类别一个输出）：其余输出不会用到。</translation>
    </message>
</context>
<context>
    <name>regularizer</name>
    <message>
        <source>Large weights cost: the sum of squares is added to the loss</source>
        <translation>惩罚大的权重：将平方和加到损失上</translation>
    </message>
    <message>
        <source>Weight of the sum</source>
        <translation>该和的权重</translation>
    </message>
    <message>
        <source>Keras&apos;s name of factor</source>
        <translation>Keras 中 factor 的名称</translation>
    </message>
    <message>
        <source>Weights cost by their size, so that many become zero</source>
        <translation>按大小惩罚权重，使许多权重变为零</translation>
    </message>
    <message>
        <source>Both sums together</source>
        <translation>同时使用两种和</translation>
    </message>
    <message>
        <source>Weight of the sum of sizes</source>
        <translation>绝对值之和的权重</translation>
    </message>
    <message>
        <source>Weight of the sum of squares</source>
        <translation>平方和的权重</translation>
    </message>
    <message>
        <source>Rows (or columns) of a matrix cost where they point the same way</source>
        <translation>矩阵的行（或列）指向相同方向时有代价</translation>
    </message>
    <message>
        <source>Weight of the mean</source>
        <translation>平均值的权重</translation>
    </message>
    <message>
        <source>What is compared with each other</source>
        <translation>互相比较的是什么</translation>
    </message>
</context>
<context>
    <name>stage</name>
    <message>
        <source>%1: %2 samples of %3; damaged: %4, dropped for missing values: %5</source>
        <translation>%1：%2 个 %3 样本；损坏 %4 个，因缺失值丢弃 %5 个</translation>
    </message>
    <message>
        <source>%1: %2 samples of %3, %4 classes</source>
        <translation>%1：%2 个 %3 样本，%4 个类别</translation>
    </message>
    <message>
        <source>%1: %2 samples of %3</source>
        <translation>%1：%2 个 %3 样本</translation>
    </message>
    <message>
        <source>all of them</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>%1 skipped, then %2 taken</source>
        <translation>跳过 %1 个，再取 %2 个</translation>
    </message>
    <message>
        <source>%1 skipped</source>
        <translation>跳过 %1 个</translation>
    </message>
    <message>
        <source>%1 train, %2 validate, %3 test; mixed before by seed %4</source>
        <translation>%1 个训练，%2 个验证，%3 个测试；此前按种子 %4 打乱</translation>
    </message>
    <message>
        <source>%1 train, %2 validate, %3 test; in the order of the source</source>
        <translation>%1 个训练，%2 个验证，%3 个测试；按数据源的顺序</translation>
    </message>
    <message>
        <source>all samples decoded once, %1 in memory</source>
        <translation>所有样本解码一次，内存中占 %1</translation>
    </message>
    <message>
        <source>the %1 training samples in another order each epoch, by seed %2</source>
        <translation>%1 个训练样本每个周期换一种顺序，按种子 %2</translation>
    </message>
    <message>
        <source>off: every epoch in the same order</source>
        <translation>关闭：每个周期顺序相同</translation>
    </message>
    <message>
        <source>%1 samples a step, %2 steps an epoch</source>
        <translation>每步 %1 个样本，每个周期 %2 步</translation>
    </message>
    <message>
        <source>%1 samples a step, %2 steps an epoch; %3 in the last</source>
        <translation>每步 %1 个样本，每个周期 %2 步；最后一步 %3 个</translation>
    </message>
    <message>
        <source>none: numbers enter as they are</source>
        <translation>无：数值原样输入</translation>
    </message>
    <message>
        <source>%1, while a batch is gathered</source>
        <translation>%1，在收集批次时进行</translation>
    </message>
    <message>
        <source>%1 batches gathered ahead at a time, %2</source>
        <translation>每次提前收集 %1 个批次，%2</translation>
    </message>
    <message>
        <source>none: a batch of %1 goes straight to its step</source>
        <translation>无：%1 的批次直接进入其步骤</translation>
    </message>
    <message>
        <source>Leaves out samples at the beginning and takes so many of the rest. Set in data.</source>
        <translation>略去开头的样本，再从其余样本中取若干个。在 data 中设置。</translation>
    </message>
    <message>
        <source>Cuts off the last samples to test, then the last of the others to validate. Set in data.</source>
        <translation>切下最后的样本用于测试，再切下其余的最后部分用于验证。在 data 中设置。</translation>
    </message>
    <message>
        <source>Another order of the training samples in each epoch, by the seed. Set in training.</source>
        <translation>训练样本每个周期换一种顺序，由种子决定。在 training 中设置。</translation>
    </message>
    <message>
        <source>Puts the samples of one update together. Set in training.</source>
        <translation>将一次更新的样本合在一起。在 training 中设置。</translation>
    </message>
    <message>
        <source>What is done to each sample on its way into a batch: the list transforms of data.</source>
        <translation>样本进入批次途中所做的处理：data 的 transforms 列表。</translation>
    </message>
    <message>
        <source>%1 samples a step, %2 steps through all of them; an epoch is %3</source>
        <translation>每步 %1 个样本，全部走完需 %2 步；一个周期为 %3 步</translation>
    </message>
    <message>
        <source>none: samples are decoded for each batch; all would take %1, %2 are in memory</source>
        <translation>无：为每个批次解码样本；全部需要 %1，内存中有 %2</translation>
    </message>
    <message>
        <source>%1 ahead at a time: the samples of the next step are decoded while one runs, %2</source>
        <translation>每次提前 %1 个批次：一步运行时解码下一步的样本，%2</translation>
    </message>
    <message>
        <source>Keeps every decoded sample in memory, images as bytes, so that files are read once. Folders of images that do not fit are decoded batch by batch. Set in the source.</source>
        <translation>将每个解码后的样本保留在内存中（图像按字节），因此文件只读取一次。放不下的图像文件夹逐批解码。在数据源中设置。</translation>
    </message>
    <message>
        <source>Gathers several batches at once ahead of their steps where they are small, and decodes the next ones while a step runs where samples are not kept in memory; by itself.</source>
        <translation>批次较小时一次提前收集多个；样本不保留在内存中时，在一步运行期间解码接下来的批次；自动进行。</translation>
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
        <translation>该优化遍的改写</translation>
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
        <translation>只显示该优化遍改变的节点</translation>
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
        <translation>此图早于您的上一次编辑。该编辑正在检查中。</translation>
    </message>
    <message>
        <source>There is no graph, because the network has problems.</source>
        <translation>网络有问题，因此没有图。</translation>
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
        <translation>正在编译图：第 %1 遍，共 %2 遍…</translation>
    </message>
    <message>
        <source>A training step of %1 samples on %2, read-only. Unchecked passes are skipped.</source>
        <translation>%2 上的一个训练步（%1 个样本），只读。未勾选的优化遍会跳过。</translation>
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
        <source>Forward, backward and update, before any pass</source>
        <translation>任何优化遍之前的前向、反向和更新</translation>
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
        <source>The last of %1 micro-batches, with the weight update: %2 of the %3 samples of a batch on %4, read-only. Unchecked passes are skipped.</source>
        <translation>%4 上一个批次的 %1 个微批次中的最后一个（含权重更新）：%3 个样本中的 %2 个，只读。未勾选的优化遍会跳过。</translation>
    </message>
</context>
<context>
    <name>strata::ui::DataPage</name>
    <message>
        <source>Source and split</source>
        <translation>数据源与划分</translation>
    </message>
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
        <source>Samples</source>
        <translation>样本</translation>
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
        <source>Samples of %1 in %2: %3.</source>
        <translation>%2 个类别的样本，每个样本 %1：%3。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln class(es)</source>
        <translation>
            <numerusform>%Ln</numerusform>
        </translation>
    </message>
    <message>
        <source>Samples of %1 with numeric targets: %2.</source>
        <translation>每个样本 %1，目标为数值：%2。</translation>
    </message>
    <message>
        <source>the largest class is %1 times the smallest</source>
        <translation>最大的类别是最小类别的 %1 倍</translation>
    </message>
    <message>
        <source>some classes have no training samples</source>
        <translation>有些类别没有训练样本</translation>
    </message>
    <message>
        <source>There is no validation data. Set a validation split above 0.</source>
        <translation>没有验证数据。请将验证集比例设为大于 0。</translation>
    </message>
    <message>
        <source>This part is empty.</source>
        <translation>这一部分是空的。</translation>
    </message>
    <message>
        <source>%1  →  %2</source>
        <translation>%1  →  %2</translation>
    </message>
    <message>
        <source>Sample %1: %2</source>
        <translation>样本 %1：%2</translation>
    </message>
    <message>
        <source>Showing the first %1 of %2.</source>
        <translation>显示 %2 个中的前 %1 个。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln sample(s).</source>
        <translation>
            <numerusform>共 %Ln 个样本。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 Values are multiplied by %2.</source>
        <translation>%1值乘以 %2。</translation>
    </message>
    <message>
        <source>%1 Values are multiplied by %2, then %3 is added.</source>
        <translation>%1值乘以 %2，再加上 %3。</translation>
    </message>
    <message>
        <source>Images are decoded for each batch: %2 in memory, %1 if all were decoded.</source>
        <translation>图像按批次解码：内存中有 %2，全部解码则需要 %1。</translation>
    </message>
    <message>
        <source>In memory: %1.</source>
        <translation>内存中：%1。</translation>
    </message>
    <message>
        <source>balanced</source>
        <translation>均衡</translation>
    </message>
    <message>
        <source>%1 Values are divided by %2.</source>
        <translation>%1值除以 %2。</translation>
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
        <translation>%1。此后设计有改动：%2</translation>
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
        <source>%1, %2, %3 multiply-adds forward</source>
        <translation>%1，%2，前向 %3 次乘加</translation>
    </message>
    <message>
        <source>%1; the totals are unknown, because some layers have problems</source>
        <translation>%1；总和未知，因为部分层有问题</translation>
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
        <translation>每个优化遍之后训练步的图</translation>
    </message>
</context>
<context>
    <name>strata::ui::DeviceForecast</name>
    <message>
        <source>Estimate for a GPU, from its data sheet</source>
        <translation>某款 GPU 上的估算（按其规格表）</translation>
    </message>
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
        <source>Fits: a step with batch size %1 needs %2 of %3, plus space for kernels and the driver</source>
        <translation>放得下：批大小为 %1 时一步需要 %3 中的 %2，另加其内核和驱动所占</translation>
    </message>
    <message>
        <source>Does not fit: a step with batch size %1 needs %2, plus space for kernels and the driver; the GPU has %3</source>
        <translation>放不下：批大小为 %1 时一步需要 %2，另加内核和驱动所占；该 GPU 共有 %3</translation>
    </message>
    <message numerus="yes">
        <source>%1 operation(s) run twice to save memory</source>
        <translation>
            <numerusform>为节省内存，%1 个运算执行两次</numerusform>
        </translation>
    </message>
    <message>
        <source>A step takes at least %1, mostly arithmetic</source>
        <translation>一步至少需要 %1，大部分是运算</translation>
    </message>
    <message>
        <source>A step takes at least %1, mostly memory traffic</source>
        <translation>一步至少需要 %1，大部分是内存读写</translation>
    </message>
    <message>
        <source>A step takes at least %1, mostly launching kernels</source>
        <translation>一步至少需要 %1，大部分是启动内核</translation>
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
    <name>strata::ui::Document</name>
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
    <name>strata::ui::Estimate</name>
    <message>
        <source>unknown, because: %1</source>
        <translation>未知，因为：%1</translation>
    </message>
    <message>
        <source>unknown until three trial steps have run</source>
        <translation>在试运行三步之前未知</translation>
    </message>
    <message>
        <source>unknown, because a run is using this machine</source>
        <translation>未知，因为有运行正在使用这台机器</translation>
    </message>
    <message>
        <source>unknown, because the network does not fit in memory</source>
        <translation>未知，因为网络超出了内存</translation>
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
        <source>How the value changes during training; none keeps it constant</source>
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
        <translation>大于 %1 且不超过 %2</translation>
    </message>
    <message>
        <source>at least %1 and less than %2</source>
        <translation>至少 %1 且小于 %2</translation>
    </message>
    <message>
        <source>between %1 and %2</source>
        <translation>%1 到 %2 之间</translation>
    </message>
    <message>
        <source>more than %1</source>
        <translation>大于 %1</translation>
    </message>
    <message>
        <source>%1 or more</source>
        <translation>%1 或更大</translation>
    </message>
    <message>
        <source>less than %1</source>
        <translation>小于 %1</translation>
    </message>
    <message>
        <source>%1 or less</source>
        <translation>%1 或更小</translation>
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
        <translation>应填一个值。</translation>
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
        <translation>默认：%1</translation>
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
        <translation>应为字节数，例如 512 MiB 或 1.5 GiB。</translation>
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
        <source>Expected one whole number, one per direction or two per direction, for example 1, 2, 0, 1.</source>
        <translation>应为一个整数、每个方向一个，或每个方向两个，如 1, 2, 0, 1。</translation>
    </message>
    <message>
        <source>Expected one whole number, or two: before and after.</source>
        <translation>应为一个整数，或两个：前和后。</translation>
    </message>
    <message>
        <source>Expected a whole number, or one of: %1.</source>
        <translation>应为整数，或下列之一：%1。</translation>
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
        <translation>打开 %1 之后，其他程序修改了它。保存会覆盖那些修改。</translation>
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
        <source>The project is training and has unsaved changes. Closing stops the run and keeps its network and a checkpoint.</source>
        <translation>该项目正在训练，并且有未保存的更改。关闭会停止运行，并保留其网络和一个检查点。</translation>
    </message>
    <message>
        <source>The project is training. Closing stops the run and keeps its network and a checkpoint.</source>
        <translation>该项目正在训练。关闭会停止运行，并保留其网络和一个检查点。</translation>
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
        <translation>停止并关闭，不保存</translation>
    </message>
    <message>
        <source>Close without saving</source>
        <translation>关闭，不保存</translation>
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
        <source>Unsaved changes in %1 and %n other project(s).</source>
        <translation>
            <numerusform>%1 和另外 %n 个项目有未保存的更改。</numerusform>
        </translation>
    </message>
    <message>
        <source>Unsaved changes in %1.</source>
        <translation>%1 有未保存的更改。</translation>
    </message>
    <message>
        <source>A run is in progress. Quitting stops it and keeps its network and a checkpoint, so you can continue it later.</source>
        <translation>有运行正在进行。退出会停止它，并保留其网络和一个检查点，之后可以继续。</translation>
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
        <translation>退出，不保存</translation>
    </message>
    <message>
        <source>Choose a table</source>
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
        <source>Choose a folder that contains one folder of images per class</source>
        <translation>选择一个文件夹，其中每个类别各有一个图像文件夹</translation>
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
        <source>%1 (while no run is active: %2)</source>
        <translation>%1（无运行时：%2）</translation>
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
        <translation>&lt;b&gt;Strata %1&lt;/b&gt;&lt;br&gt;训练神经网络的工作台。</translation>
    </message>
    <message>
        <source>Window and programs: GPL 3 or later. Engine and core: Apache 2.0.

Built with %1.</source>
        <translation>窗口和程序：GPL 3 或更高版本。引擎和核心：Apache 2.0。

构建所用：%1。</translation>
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
        <translation>前一层：%1</translation>
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
        <source>The layer that provides the input; by default the previous layer</source>
        <translation>提供输入的层；默认为前一层</translation>
    </message>
    <message>
        <source>The layers that provide the inputs, in this order</source>
        <translation>按此顺序提供输入的各层</translation>
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
        <translation>乘加运算</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>unknown, because %1 did not have this layer</source>
        <translation>未知，因为%1 中没有这一层</translation>
    </message>
    <message>
        <source>not timed separately</source>
        <translation>未单独计时</translation>
    </message>
    <message>
        <source>%1 per step, measured in %2</source>
        <translation>每步 %1，在%2 中测得</translation>
    </message>
    <message>
        <source>%1 per step, measured in %2 before the layer changed</source>
        <translation>每步 %1，在%2 中测得，早于该层的改动</translation>
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
        <source>Multiply-adds, batch %1</source>
        <translation>乘加运算，批大小 %1</translation>
    </message>
    <message>
        <source>Inputs: %1</source>
        <translation>输入：%1</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>输入</translation>
    </message>
</context>
<context>
    <name>strata::ui::LayerList</name>
    <message>
        <source>Group into a block</source>
        <translation>组成一个块</translation>
    </message>
    <message>
        <source>Ungroup</source>
        <translation>拆开</translation>
    </message>
    <message>
        <source>Show its layers</source>
        <translation>显示其中的层</translation>
    </message>
    <message>
        <source>Hide its layers</source>
        <translation>隐藏其中的层</translation>
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
    <name>strata::ui::LayerTab</name>
    <message>
        <source>Unique in the network; inputs and weight files refer to the layer by this name</source>
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
        <source>%n layers are selected; these are the fields of the first.</source>
        <translation>
            <numerusform>已选中 %n 层；以下是第一层的字段。</numerusform>
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
        <translation>乘加运算</translation>
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
        <source>Grey values are defaults.</source>
        <translation>灰色的值是默认值。</translation>
    </message>
    <message>
        <source>not known yet</source>
        <translation>尚未知</translation>
    </message>
    <message>
        <source>Cost at batch %1</source>
        <translation>批大小 %1 时的开销</translation>
    </message>
    <message>
        <source>unknown, because this layer or an earlier one has a problem</source>
        <translation>未知，因为该层或之前的某层有问题</translation>
    </message>
    <message>
        <source>%1, of which %2 are trainable</source>
        <translation>%1，其中 %2 可训练</translation>
    </message>
    <message>
        <source>none at the peak</source>
        <translation>峰值时不占用</translation>
    </message>
    <message>
        <source>%1 at the peak</source>
        <translation>峰值时 %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
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
        <translation>另一个层已使用名称 %1。请换一个未使用的名称。</translation>
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
        <translation>将所选层组成一个块</translation>
    </message>
    <message>
        <source>Ungroup the block</source>
        <translation>拆开该块</translation>
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
        <source>Continue (step %1)</source>
        <translation>继续（第 %1 步）</translation>
    </message>
    <message>
        <source>The run keeps the design it started with. The open design has changed since: %1</source>
        <translation>该运行保留它开始时的设计。此后打开的设计有改动：%1</translation>
    </message>
    <message>
        <source>Start a new run of the open design from the weights of %1</source>
        <translation>用%1 的权重开始一次新的运行，采用打开的设计</translation>
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
        <source>New run from these weights</source>
        <translation>用这些权重新建运行</translation>
    </message>
    <message numerus="yes">
        <source>New run (%1 of %2 layer(s) kept)</source>
        <translation>
            <numerusform>新运行（保留 %2 层中的 %1 层）</numerusform>
        </translation>
    </message>
    <message>
        <source>Start a new run from initial weights (F5)</source>
        <translation>用初始权重开始新的运行 (F5)</translation>
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
        <source>The value of %1 is invalid. Correct it, or press Escape in its field.</source>
        <translation>%1 的值无效。请更正，或在其字段中按 Esc。</translation>
    </message>
    <message>
        <source>New from a template</source>
        <translation>从模板新建</translation>
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
        <translation>折叠或展开左侧窗格</translation>
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
        <translation>下一个窗格</translation>
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
        <translation>用最近的权重新建运行</translation>
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
        <translation>以列表显示设计</translation>
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
        <source>The split has changed: the network may have seen samples that are now test samples.</source>
        <translation>数据划分已改变：网络可能用现在的测试样本训练过。</translation>
    </message>
    <message numerus="yes">
        <source>Train %Ln more epoch(s)</source>
        <translation>
            <numerusform>再训练 %Ln 轮</numerusform>
        </translation>
    </message>
    <message>
        <source>Continue %1 past its planned end</source>
        <translation>继续%1，超出原计划的轮数</translation>
    </message>
    <message>
        <source>Continue %1 where it stopped</source>
        <translation>从停止处继续%1</translation>
    </message>
</context>
<context>
    <name>strata::ui::MemoryCard</name>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Memory, %1</source>
        <translation>内存，%1</translation>
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
        <source>Alignment</source>
        <translation>对齐</translation>
    </message>
    <message>
        <source>The breakdown is unknown, because this run did not save its memory plan.</source>
        <translation>明细未知，因为这次运行没有保存内存规划。</translation>
    </message>
</context>
<context>
    <name>strata::ui::MemoryPanel</name>
    <message>
        <source>Memory of a training step</source>
        <translation>训练步的内存</translation>
    </message>
    <message>
        <source>At the peak of a training step</source>
        <translation>训练步的峰值</translation>
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
        <source>Project limit</source>
        <translation>项目的上限</translation>
    </message>
    <message>
        <source>Available on this machine</source>
        <translation>这台机器可用</translation>
    </message>
    <message>
        <source>Largest batch that fits</source>
        <translation>可容纳的最大批</translation>
    </message>
    <message>
        <source>Memory is %1.</source>
        <translation>内存%1。</translation>
    </message>
    <message>
        <source>Options that fit</source>
        <translation>放得下的方案</translation>
    </message>
    <message>
        <source>Batch size %1, some values recomputed</source>
        <translation>批大小 %1，重算部分值</translation>
    </message>
    <message>
        <source>Batch size %1</source>
        <translation>批大小 %1</translation>
    </message>
    <message>
        <source>Batches of %1 micro-batches</source>
        <translation>每批分成 %1 个微批次</translation>
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
        <source>Less memory, more time</source>
        <translation>以时间换内存</translation>
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
        <translation>去除内存上限</translation>
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
        <translation>梯度一得到就立即更新权重</translation>
    </message>
    <message numerus="yes">
        <source>Recompute %1 operation(s)</source>
        <translation>
            <numerusform>重计算 %1 个运算</numerusform>
        </translation>
    </message>
    <message>
        <source>at least %1</source>
        <translation>至少 %1</translation>
    </message>
    <message>
        <source>Batches of %1 micro-batches, some values recomputed</source>
        <translation>每批分成 %1 个微批次，重算部分值</translation>
    </message>
    <message>
        <source>Nothing fits: batch size 1 needs</source>
        <translation>都放不下：批大小为 1 时需要</translation>
    </message>
</context>
<context>
    <name>strata::ui::MetricPlot</name>
    <message>
        <source>No steps yet</source>
        <translation>还没有步</translation>
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
        <source>%1: scale, smoothing and saving</source>
        <translation>%1：坐标、平滑、保存</translation>
    </message>
    <message>
        <source>Scroll to zoom, drag to zoom into a range, Shift+drag to move, double-click to show the whole run.</source>
        <translation>滚轮缩放；拖动放大所选范围；按住 Shift 拖动平移；双击显示整个运行。</translation>
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
        <source>Average: %1</source>
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
        <source>Copy image</source>
        <translation>复制图像</translation>
    </message>
    <message>
        <source>Save as PNG…</source>
        <translation>保存为 PNG…</translation>
    </message>
    <message>
        <source>Save the plot</source>
        <translation>保存图表</translation>
    </message>
    <message>
        <source>PNG image (*.png)</source>
        <translation>PNG 图像 (*.png)</translation>
    </message>
    <message>
        <source>Save as SVG…</source>
        <translation>保存为 SVG…</translation>
    </message>
    <message>
        <source>SVG image (*.svg)</source>
        <translation>SVG 图像 (*.svg)</translation>
    </message>
    <message>
        <source>Save as CSV…</source>
        <translation>保存为 CSV…</translation>
    </message>
    <message>
        <source>Save the values</source>
        <translation>保存数值</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>表格 (*.csv)</translation>
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
        <source>Not saved</source>
        <translation>未保存</translation>
    </message>
    <message>
        <source>%1 was not saved: %2</source>
        <translation>未能保存 %1：%2</translation>
    </message>
    <message>
        <source>the file cannot be written</source>
        <translation>无法写入文件</translation>
    </message>
</context>
<context>
    <name>strata::ui::MistakesCard</name>
    <message>
        <source>Mistakes</source>
        <translation>错误样本</translation>
    </message>
    <message>
        <source>Confusion matrix: rows are true classes, columns are predicted classes</source>
        <translation>混淆矩阵：行为真实类别，列为预测类别</translation>
    </message>
    <message>
        <source>Rows: true class. Columns: predicted class. Click a cell to see its samples.</source>
        <translation>行：真实类别。列：预测类别。点击单元格查看其中的样本。</translation>
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
        <translation>全部错误</translation>
    </message>
    <message>
        <source>Show all mistakes again</source>
        <translation>重新显示全部错误样本</translation>
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
    <message numerus="yes">
        <source>%1 predicted as %2: %n time(s)</source>
        <translation>
            <numerusform>%1 被预测为 %2：%n 次</numerusform>
        </translation>
    </message>
    <message>
        <source>This network predicts numbers, not classes, so there are no mistakes to list.</source>
        <translation>该网络预测的是数值而不是类别，因此没有错误样本可列。</translation>
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
        <source>No samples in this cell.</source>
        <translation>该单元格中没有样本。</translation>
    </message>
    <message>
        <source>No mistakes.</source>
        <translation>没有错误。</translation>
    </message>
    <message>
        <source>The first %1 of %2, most confident first (true → predicted)</source>
        <translation>%2 个中的前 %1 个，置信度最高的在前（真实 → 预测）</translation>
    </message>
    <message>
        <source>Most confident first (true → predicted)</source>
        <translation>置信度最高的在前（真实 → 预测）</translation>
    </message>
    <message>
        <source>True class %1, predicted %2. %3</source>
        <translation>真实类别 %1，预测为 %2。%3</translation>
    </message>
    <message>
        <source>%1:  %2</source>
        <translation>%1：  %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
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
        <translation>改变</translation>
    </message>
    <message>
        <source>moved</source>
        <translation>移动</translation>
    </message>
    <message>
        <source>removed</source>
        <translation>移除</translation>
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
        <source>%1
Estimated by the cost rule of the op, for comparing nodes</source>
        <translation>%1
按算子的开销规则估算，用于比较节点</translation>
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
        <source>Part</source>
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
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>变化</translation>
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
        <translation>除损失外另行测量；不用于训练</translation>
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
        <source>Metrics in which each sample counts by its weight in the data</source>
        <translation>按每个样本在数据中的权重计算的指标</translation>
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
        <source>Measures the time of every node. The overhead is shown next to it.</source>
        <translation>测量每个节点的时间。额外开销显示在旁边。</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>性能分析</translation>
    </message>
    <message>
        <source>Times appear after the first steps.</source>
        <translation>开始几步之后会显示时间。</translation>
    </message>
    <message>
        <source>Step times are unknown, because the run failed before any was measured.</source>
        <translation>每步时间未知，因为运行在测得时间之前就失败了。</translation>
    </message>
    <message>
        <source>Step times are unknown, because this run did not save them.</source>
        <translation>每步时间未知，因为这次运行没有保存。</translation>
    </message>
    <message>
        <source>&lt;b style=&apos;font-size:15pt&apos;&gt;%1&lt;/b&gt; samples/s</source>
        <translation>&lt;b style=&apos;font-size:15pt&apos;&gt;%1&lt;/b&gt; 样本/s</translation>
    </message>
    <message>
        <source>waiting for data %1, forward %2, backward %3, update %4</source>
        <translation>等待数据 %1，前向 %2，反向 %3，更新 %4</translation>
    </message>
    <message>
        <source>Profiling overhead %1</source>
        <translation>性能分析开销 %1</translation>
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
        <translation>该优化遍执行失败，已跳过：图没有变化。%1</translation>
    </message>
    <message>
        <source>Nodes: %1, peak live memory: %2, data moved: %3, time: %4.</source>
        <translation>节点：%1，峰值占用内存：%2，数据搬移：%3，时间：%4。</translation>
    </message>
    <message>
        <source>The pass found nothing to rewrite. %1</source>
        <translation>该优化遍没有可改写之处。%1</translation>
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
        <translation>%1%2与前一遍相比：%3。</translation>
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
        <source>Forward, backward and update, before any pass</source>
        <translation>任何优化遍之前的前向、反向和更新</translation>
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
</context>
<context>
    <name>strata::ui::PathEditor</name>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>Browse for %1</source>
        <translation>浏览 %1</translation>
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
</context>
<context>
    <name>strata::ui::Recovery</name>
    <message>
        <source>Restored unsaved changes of %1</source>
        <translation>已恢复 %1 的未保存更改</translation>
    </message>
</context>
<context>
    <name>strata::ui::RestoredNotice</name>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>Restored unsaved changes of %1 from %2.</source>
        <translation>已恢复 %1 在 %2 的未保存更改。</translation>
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
        <translation>放弃已恢复的 %1 的更改</translation>
    </message>
    <message>
        <source>Keep the changes and hide this line</source>
        <translation>保留更改并隐藏此行</translation>
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
        <source>Runs of this project appear here, with their accuracy, time, memory and mistakes, and a pad to try the network.</source>
        <translation>该项目的运行会出现在这里：准确率、时间、内存、错误样本，以及试用网络的绘图板。</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>The selected run</source>
        <translation>所选的运行</translation>
    </message>
    <message>
        <source>not available; see the message above</source>
        <translation>不可用；请参见上方的消息</translation>
    </message>
    <message>
        <source>Export weights</source>
        <translation>导出权重</translation>
    </message>
    <message>
        <source>Evaluating…</source>
        <translation>正在评估…</translation>
    </message>
    <message>
        <source>%1, %2, %3</source>
        <translation>%1，%2，%3</translation>
    </message>
    <message>
        <source>%1 on new samples, %2</source>
        <translation>在新样本上 %1，用时 %2</translation>
    </message>
    <message>
        <source>Test loss %1, %2</source>
        <translation>测试损失 %1，用时 %2</translation>
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
        <source>safetensors (*.safetensors)</source>
        <translation>safetensors (*.safetensors)</translation>
    </message>
    <message>
        <source>Writing %1…</source>
        <translation>正在写入 %1…</translation>
    </message>
    <message>
        <source>NumPy (*.npz)</source>
        <translation>NumPy (*.npz)</translation>
    </message>
    <message>
        <source>No test set: measured on the validation data.</source>
        <translation>没有测试集：以下结果在验证数据上测得。</translation>
    </message>
    <message>
        <source>There is no test or validation data to evaluate on. Set a test or validation split on the Data page, then train a new run.</source>
        <translation>没有可用于评估的测试集或验证数据。请在“数据”页设置测试或验证划分，然后重新训练。</translation>
    </message>
    <message>
        <source>%1 on the validation data, %2</source>
        <translation>验证数据上 %1，用时 %2</translation>
    </message>
    <message>
        <source>Validation loss %1, %2</source>
        <translation>验证损失 %1，用时 %2</translation>
    </message>
    <message>
        <source>Validation %1</source>
        <translation>验证%1</translation>
    </message>
</context>
<context>
    <name>strata::ui::RunEvaluator</name>
    <message numerus="yes">
        <source>%1 exported and verified: on %n sample(s) the outputs differ by at most %2.</source>
        <translation>
            <numerusform>%1 已导出并通过验证：%n 个样本的输出最多相差 %2。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 exported and verified: identical outputs on %n sample(s).</source>
        <translation>
            <numerusform>%1 已导出并通过验证：%n 个样本的输出完全相同。</numerusform>
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
</context>
<context>
    <name>strata::ui::Runs</name>
    <message>
        <source>Run started: %1</source>
        <translation>运行已开始：%1</translation>
    </message>
    <message>
        <source>%1 waits until the run of %2 ends</source>
        <translation>%1 正在等待 %2 的运行结束</translation>
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
        <translation>打开或保存过的项目会显示在这里。</translation>
    </message>
    <message>
        <source>New from a template</source>
        <translation>从模板新建</translation>
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
        <source>The templates were not found</source>
        <translation>找不到模板</translation>
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
        <source>Ready to train: %1, batch %2, %3 %4</source>
        <translation>可以训练：%1，批大小 %2，%3 %4</translation>
    </message>
    <message numerus="yes">
        <source>%Ln epoch(s)</source>
        <translation>
            <numerusform>%Ln 轮</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 waits for the run to end</source>
        <translation>%1 正在等待运行结束</translation>
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
        <source>Does not fit in memory: needs %1, limit %2</source>
        <translation>内存放不下：需要 %1，上限 %2</translation>
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
        <source>%1, needs %2. Time is %3.</source>
        <translation>%1，需要 %2。时间%3。</translation>
    </message>
    <message>
        <source>%1, needs %2, about %3 on this machine.</source>
        <translation>%1，需要 %2，在这台机器上约 %3。</translation>
    </message>
    <message>
        <source>%1, estimating memory and time…</source>
        <translation>%1，正在估算内存和时间…</translation>
    </message>
</context>
<context>
    <name>strata::ui::TemplateDialog</name>
    <message>
        <source>New from a template</source>
        <translation>从模板新建</translation>
    </message>
    <message>
        <source>Templates</source>
        <translation>模板</translation>
    </message>
    <message>
        <source>Create</source>
        <translation>创建</translation>
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
    <name>strata::ui::TopBar</name>
    <message>
        <source>Open projects</source>
        <translation>打开的项目</translation>
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
        <source>Memory %1 of %2, fits</source>
        <translation>内存 %1 / %2，可容纳</translation>
    </message>
    <message>
        <source>Memory: %1 of %2, fits</source>
        <translation>内存：%1 / %2，可容纳</translation>
    </message>
    <message>
        <source>%1, too large</source>
        <translation>%1，过大</translation>
    </message>
    <message>
        <source>Memory %1, more than %2</source>
        <translation>内存 %1，超过 %2</translation>
    </message>
    <message>
        <source>Memory: %1, more than %2</source>
        <translation>内存：%1，超过 %2</translation>
    </message>
    <message>
        <source>Predicted peak memory of a training step. Click for the breakdown.</source>
        <translation>训练步的预测峰值内存。点击查看明细。</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Automatic: the best available device</source>
        <translation>自动：最好的可用设备</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
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
        <source>Lenses</source>
        <translation>视角</translation>
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
        <source>The training step does not fit in memory: it needs %1, but the limit is %2.</source>
        <translation>训练步超出内存：需要 %1，但上限是 %2。</translation>
    </message>
    <message>
        <source>%1 The fastest option that fits: %2.</source>
        <translation>%1放得下的最快方案：%2。</translation>
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
        <translation>放得下的方案</translation>
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
        <translation>如何根据梯度更新权重</translation>
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
        <translation>要跳过的图优化；结果不变</translation>
    </message>
    <message>
        <source>Class weights</source>
        <translation>类别权重</translation>
    </message>
    <message>
        <source>Weight of each class in the loss, in class order; missing classes have weight 1</source>
        <translation>各类别在损失中的权重，按类别顺序排列；未列出的类别权重为 1</translation>
    </message>
    <message>
        <source>Loss and metrics</source>
        <translation>损失与指标</translation>
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
        <translation>回调、阶段、变更</translation>
    </message>
    <message>
        <source>Device and memory</source>
        <translation>设备与内存</translation>
    </message>
    <message>
        <source>Fields marked “live” take effect at the next step. The others apply to the next run.</source>
        <translation>标有“实时”的字段从下一步起生效，其余字段用于下一次运行。</translation>
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
        <translation>预测值与真实值，差值最大的在前</translation>
    </message>
    <message>
        <source>Points on the line are exact predictions.</source>
        <translation>线上的点表示预测完全准确。</translation>
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
        <source>Predicted against true values</source>
        <translation>预测值与真实值</translation>
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
        <source>The selected layers are in different lists. Select layers of the network only, or of one Block.</source>
        <translation>所选的层不在同一列表中。请只选择网络的层，或同一个 Block 中的层。</translation>
    </message>
    <message>
        <source>Layers can move only within the network or within their Block. To move them out, ungroup the Block.</source>
        <translation>层只能在网络之内或所在的 Block 之内移动。要移出，请拆开该 Block。</translation>
    </message>
</context>
<context>
    <name>training</name>
    <message>
        <source>The network ends without softmax or sigmoid</source>
        <translation>网络末尾没有 softmax 或 sigmoid</translation>
    </message>
    <message>
        <source>From logits</source>
        <translation>输入为 logits</translation>
    </message>
    <message>
        <source>Share of each target that is spread over all classes</source>
        <translation>每个目标中分摊到所有类别的比例</translation>
    </message>
    <message>
        <source>Label smoothing</source>
        <translation>标签平滑</translation>
    </message>
    <message>
        <source>How the samples&apos; losses become one number</source>
        <translation>如何将各样本的损失合成一个数</translation>
    </message>
    <message>
        <source>Reduction</source>
        <translation>归约方式</translation>
    </message>
    <message>
        <source>One class of many, the targets are class numbers</source>
        <translation>多类别中的一个，目标为类别编号</translation>
    </message>
    <message>
        <source>Samples of this class do not count</source>
        <translation>该类别的样本不计入</translation>
    </message>
    <message>
        <source>Ignored class</source>
        <translation>忽略的类别</translation>
    </message>
    <message>
        <source>One class of many, the targets are probabilities</source>
        <translation>多类别中的一个，目标为概率</translation>
    </message>
    <message>
        <source>Yes or no for each output</source>
        <translation>每个输出各自为是或否</translation>
    </message>
    <message>
        <source>Mean of the squared differences</source>
        <translation>差值平方的均值</translation>
    </message>
    <message>
        <source>Mean of the differences&apos; sizes</source>
        <translation>差值绝对值的均值</translation>
    </message>
    <message>
        <source>Squares of small differences, sizes of large ones: outliers count less</source>
        <translation>小差值取平方，大差值取绝对值：离群值的影响较小</translation>
    </message>
    <message>
        <source>Where small becomes large</source>
        <translation>从小变大的分界处</translation>
    </message>
    <message>
        <source>Delta</source>
        <translation>Delta</translation>
    </message>
    <message>
        <source>Share of samples whose largest output is the class</source>
        <translation>最大输出即为所属类别的样本比例</translation>
    </message>
    <message>
        <source>Share of samples whose largest output is the target&apos;s largest</source>
        <translation>最大输出与目标的最大值位置相同的样本比例</translation>
    </message>
    <message>
        <source>Share of outputs on the right side of the threshold</source>
        <translation>位于阈值正确一侧的输出比例</translation>
    </message>
    <message>
        <source>Above it an output means yes</source>
        <translation>输出高于它即表示“是”</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>阈值</translation>
    </message>
    <message>
        <source>Share of right answers: binary for one output, else by the largest</source>
        <translation>回答正确的比例：单个输出按二元判断，否则按最大值</translation>
    </message>
    <message>
        <source>Epsilon</source>
        <translation>Epsilon</translation>
    </message>
    <message>
        <source>Added to what is divided by</source>
        <translation>加到除数上的数</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>Size of each step</source>
        <translation>每一步的大小</translation>
    </message>
    <message>
        <source>Weight decay</source>
        <translation>权重衰减</translation>
    </message>
    <message>
        <source>Each step takes this share, times the learning rate, off every weight</source>
        <translation>每一步从每个权重中减去该比例与学习率的乘积</translation>
    </message>
    <message>
        <source>Clip norm</source>
        <translation>范数裁剪</translation>
    </message>
    <message>
        <source>Largest length of each variable&apos;s gradient</source>
        <translation>每个变量的梯度的最大长度</translation>
    </message>
    <message>
        <source>Clip value</source>
        <translation>数值裁剪</translation>
    </message>
    <message>
        <source>Largest size of each number of a gradient</source>
        <translation>梯度中每个数的最大绝对值</translation>
    </message>
    <message>
        <source>Global clip norm</source>
        <translation>全局范数裁剪</translation>
    </message>
    <message>
        <source>Largest length of all gradients together</source>
        <translation>所有梯度合起来的最大长度</translation>
    </message>
    <message>
        <source>Beta 1</source>
        <translation>Beta 1</translation>
    </message>
    <message>
        <source>How slowly the mean gradient follows</source>
        <translation>梯度均值跟随的缓慢程度</translation>
    </message>
    <message>
        <source>Beta 2</source>
        <translation>Beta 2</translation>
    </message>
    <message>
        <source>How slowly the mean square follows</source>
        <translation>平方均值跟随的缓慢程度</translation>
    </message>
    <message>
        <source>AMSGrad</source>
        <translation>AMSGrad</translation>
    </message>
    <message>
        <source>Keeps the largest mean square, so that steps never grow again</source>
        <translation>保留最大的平方均值，使步长不再增大</translation>
    </message>
    <message>
        <source>Momentum</source>
        <translation>动量</translation>
    </message>
    <message>
        <source>Share of the last step that goes on</source>
        <translation>上一步中延续的比例</translation>
    </message>
    <message>
        <source>Steps against the gradient, with momentum if wanted</source>
        <translation>沿梯度的反方向移动，可带动量</translation>
    </message>
    <message>
        <source>Nesterov</source>
        <translation>Nesterov</translation>
    </message>
    <message>
        <source>Looks one step ahead</source>
        <translation>向前多看一步</translation>
    </message>
    <message>
        <source>Steps of similar size for every weight: a good first choice</source>
        <translation>每个权重的步长相近：很好的首选</translation>
    </message>
    <message>
        <source>Adam with weight decay</source>
        <translation>带权重衰减的 Adam</translation>
    </message>
    <message>
        <source>Divides by the recent size of the gradient</source>
        <translation>除以梯度近期的大小</translation>
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
        <source>Divides by the variance in place of the mean square</source>
        <translation>除以方差而不是平方均值</translation>
    </message>
    <message>
        <source>Steps shrink for weights that moved much</source>
        <translation>移动较多的权重步长减小</translation>
    </message>
    <message>
        <source>Initial accumulator</source>
        <translation>累加器初始值</translation>
    </message>
    <message>
        <source>Where the sum of squares starts</source>
        <translation>平方和的初始值</translation>
    </message>
    <message>
        <source>How the network learns</source>
        <translation>网络如何学习</translation>
    </message>
    <message>
        <source>Samples of one update of the weights</source>
        <translation>每次更新权重所用的样本数</translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>Pieces a batch is cut into, one after the other, to need less memory; the weights are updated once</source>
        <translation>将一批切成若干份依次计算，以减少内存；权重只更新一次</translation>
    </message>
    <message>
        <source>Accumulation steps</source>
        <translation>累积步数</translation>
    </message>
    <message>
        <source>Times the training data is gone through</source>
        <translation>遍历训练数据的次数</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>训练轮数</translation>
    </message>
    <message>
        <source>Decides initial weights, the order of data and dropout: the same seed, the same run</source>
        <translation>决定初始权重、数据顺序和随机失活：种子相同，运行就相同</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>A new order of the samples in each epoch</source>
        <translation>每轮重新打乱样本顺序</translation>
    </message>
    <message>
        <source>Shuffle</source>
        <translation>打乱顺序</translation>
    </message>
    <message>
        <source>File of weights to start from, relative to the project</source>
        <translation>训练起始所用的权重文件，相对于项目</translation>
    </message>
    <message>
        <source>Initial weights</source>
        <translation>初始权重</translation>
    </message>
    <message>
        <source>Where and how it is computed</source>
        <translation>在哪里、如何计算</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Threads that compute; 0: all cores</source>
        <translation>用于计算的线程数；0 表示全部核心</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>线程数</translation>
    </message>
    <message>
        <source>Most memory that training may use; left out, what the machine has</source>
        <translation>训练可使用的最大内存；不填则为机器的全部内存</translation>
    </message>
    <message>
        <source>Memory limit</source>
        <translation>内存上限</translation>
    </message>
    <message>
        <source>Makes values again in the backward part in place of keeping them: auto as far as the memory limit asks for it, all as far as it saves memory</source>
        <translation>在反向部分重新计算值而不保留：auto 按内存上限的需要，all 尽可能节省内存</translation>
    </message>
    <message>
        <source>Recompute</source>
        <translation>重计算</translation>
    </message>
    <message>
        <source>Kernels are timed on this machine: same_bits takes a faster one where its results are the same to the last bit, fastest wherever it is faster; rule times none</source>
        <translation>在本机上为内核计时：same_bits 仅在结果逐位相同时选用更快的内核，fastest 只要更快就选用，rule 不计时</translation>
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
        <source>Dimension of the classes; -1 is the last</source>
        <translation>类别所在的维度；-1 是最后一个</translation>
    </message>
    <message>
        <source>Alpha</source>
        <translation>Alpha</translation>
    </message>
    <message>
        <source>Weight of the classes&apos; losses</source>
        <translation>各类别损失的权重</translation>
    </message>
    <message>
        <source>Gamma</source>
        <translation>Gamma</translation>
    </message>
    <message>
        <source>How strongly samples that are right already count less</source>
        <translation>已经正确的样本减弱的程度</translation>
    </message>
    <message>
        <source>Dimensions that are summed; none: all</source>
        <translation>求和的维度；无：全部</translation>
    </message>
    <message>
        <source>Yes or no for each output; what is right already counts less</source>
        <translation>每个输出为是或否；已经正确的计得更少</translation>
    </message>
    <message>
        <source>Class balancing</source>
        <translation>类别平衡</translation>
    </message>
    <message>
        <source>Weighs yes by alpha and no by 1 - alpha</source>
        <translation>是的权重为 alpha，否的权重为 1 - alpha</translation>
    </message>
    <message>
        <source>One class of many; what is right already counts less</source>
        <translation>多个类别之一；已经正确的计得更少</translation>
    </message>
    <message>
        <source>One class of many, where some labels are wrong; the targets are class numbers</source>
        <translation>多个类别之一，部分标签有误；目标是类别编号</translation>
    </message>
    <message>
        <source>q</source>
        <translation>q</translation>
    </message>
    <message>
        <source>Near 0 as the cross-entropy, near 1 as the absolute error</source>
        <translation>接近 0 时如交叉熵，接近 1 时如绝对误差</translation>
    </message>
    <message>
        <source>Distance to the right side of a margin; targets -1 and 1</source>
        <translation>到间隔正确一侧的距离；目标为 -1 和 1</translation>
    </message>
    <message>
        <source>Squared distance to the right side of a margin</source>
        <translation>到间隔正确一侧的距离的平方</translation>
    </message>
    <message>
        <source>How far the best wrong class comes near to the right one; targets 0 and 1</source>
        <translation>最好的错误类别与正确类别的接近程度；目标为 0 和 1</translation>
    </message>
    <message>
        <source>How little two areas overlap</source>
        <translation>两个区域重叠得多么少</translation>
    </message>
    <message>
        <source>How little two areas overlap, with weights for what is missed and what is too much</source>
        <translation>两个区域重叠得多么少，漏掉的和多余的各有权重</translation>
    </message>
    <message>
        <source>Weight of what is missed</source>
        <translation>漏掉部分的权重</translation>
    </message>
    <message>
        <source>Beta</source>
        <translation>Beta</translation>
    </message>
    <message>
        <source>Weight of what is too much</source>
        <translation>多余部分的权重</translation>
    </message>
    <message>
        <source>Margin</source>
        <translation>间隔</translation>
    </message>
    <message>
        <source>Distance that samples of different classes should have</source>
        <translation>不同类别的样本应有的距离</translation>
    </message>
    <message>
        <source>Vectors of length 1: the same class comes near, others move away; the targets are classes</source>
        <translation>长度为 1 的向量：同类靠近，异类远离；目标是类别</translation>
    </message>
    <message>
        <source>How sharply far pairs count</source>
        <translation>相距远的样本对计得多重</translation>
    </message>
    <message>
        <source>Without itself</source>
        <translation>不含自身</translation>
    </message>
    <message>
        <source>A sample is no pair with itself</source>
        <translation>样本不与自身成对</translation>
    </message>
    <message>
        <source>The farthest of the same class against the nearest of another; the targets are classes</source>
        <translation>同类中最远的与异类中最近的相比；目标是类别</translation>
    </message>
    <message>
        <source>The network gives distances of pairs: target 1 comes near, target 0 moves away</source>
        <translation>网络给出样本对的距离：目标 1 靠近，目标 0 远离</translation>
    </message>
    <message>
        <source>Mean of the differences&apos; sizes in percent of the targets</source>
        <translation>差的大小占目标百分比的平均值</translation>
    </message>
    <message>
        <source>Mean of the squared differences of logarithms: ratios count</source>
        <translation>对数之差的平方的平均值：看重比例</translation>
    </message>
    <message>
        <source>A smooth passage from squares of differences to their sizes</source>
        <translation>从差的平方平滑过渡到差的大小</translation>
    </message>
    <message>
        <source>Likelihood of counts</source>
        <translation>计数的似然</translation>
    </message>
    <message>
        <source>How far one distribution is from another</source>
        <translation>一个分布与另一个相距多远</translation>
    </message>
    <message>
        <source>How little two vectors point the same way: -1 the same, 1 opposite</source>
        <translation>两个向量的方向多么不一致：-1 相同，1 相反</translation>
    </message>
    <message>
        <source>Dimension of the vectors; -1 is the last</source>
        <translation>向量所在的维度；-1 是最后一个</translation>
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
        <source>Only the k largest outputs of a sample mean yes</source>
        <translation>样本最大的 k 个输出才表示是</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Only this class counts; none: all</source>
        <translation>只计这个类别；无：全部</translation>
    </message>
    <message>
        <source>Number of thresholds</source>
        <translation>阈值个数</translation>
    </message>
    <message>
        <source>Points of the curve, evenly between 0 and 1</source>
        <translation>曲线上的点，在 0 和 1 之间均匀分布</translation>
    </message>
    <message>
        <source>Average</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>How the classes&apos; scores become one; none: one each</source>
        <translation>各类别的分数如何合为一个；无：各有一个</translation>
    </message>
    <message>
        <source>Above it an output means yes; none: the largest of a sample does</source>
        <translation>高于它的输出表示是；无：样本中最大的表示是</translation>
    </message>
    <message>
        <source>Above one an output means yes; left out, 0.5; several give several values</source>
        <translation>高于它的输出表示是；省略时为 0.5；有几个就得到几个值</translation>
    </message>
    <message>
        <source>Share of what was found that is right</source>
        <translation>找到的当中正确的比例</translation>
    </message>
    <message>
        <source>Share of what there is that was found</source>
        <translation>应找到的当中已找到的比例</translation>
    </message>
    <message>
        <source>How many were found and are right</source>
        <translation>找到且正确的个数</translation>
    </message>
    <message>
        <source>How many were left out and are none</source>
        <translation>未找出且确实不是的个数</translation>
    </message>
    <message>
        <source>How many were found and are none</source>
        <translation>找到但不是的个数</translation>
    </message>
    <message>
        <source>How many were missed</source>
        <translation>漏掉的个数</translation>
    </message>
    <message>
        <source>Best share found where enough of the rest is left out</source>
        <translation>在足够排除其余时找到的最大比例</translation>
    </message>
    <message>
        <source>Specificity</source>
        <translation>特异度</translation>
    </message>
    <message>
        <source>Share of the rest that must be left out</source>
        <translation>必须排除的其余的比例</translation>
    </message>
    <message>
        <source>Best share of the rest left out where enough is found</source>
        <translation>在找到足够多时排除其余的最大比例</translation>
    </message>
    <message>
        <source>Sensitivity</source>
        <translation>灵敏度</translation>
    </message>
    <message>
        <source>Share that must be found</source>
        <translation>必须找到的比例</translation>
    </message>
    <message>
        <source>Best precision where enough is found</source>
        <translation>在找到足够多时最好的精确率</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>召回率</translation>
    </message>
    <message>
        <source>Best share found where enough of it is right</source>
        <translation>在足够正确时找到的最大比例</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精确率</translation>
    </message>
    <message>
        <source>Share of what is found that must be right</source>
        <translation>找到的当中必须正确的比例</translation>
    </message>
    <message>
        <source>Curve</source>
        <translation>曲线</translation>
    </message>
    <message>
        <source>ROC: recall over false alarms; PR: precision over recall</source>
        <translation>ROC：召回率对误报率；PR：精确率对召回率</translation>
    </message>
    <message>
        <source>Summation</source>
        <translation>求和方式</translation>
    </message>
    <message>
        <source>Between two points of the curve: along a line, the lower or the higher one</source>
        <translation>曲线两点之间：沿直线、取较低的或较高的</translation>
    </message>
    <message>
        <source>Area under a curve over all thresholds: 1 is perfect</source>
        <translation>所有阈值下曲线下的面积：1 为完美</translation>
    </message>
    <message>
        <source>Points of the curve in place of even ones</source>
        <translation>代替均匀点的曲线点</translation>
    </message>
    <message>
        <source>Each label</source>
        <translation>逐标签</translation>
    </message>
    <message>
        <source>The mean of one area each output</source>
        <translation>每个输出一个面积，取平均值</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>标签数</translation>
    </message>
    <message>
        <source>Outputs; known from the network</source>
        <translation>输出的个数；由网络得知</translation>
    </message>
    <message>
        <source>Label weights</source>
        <translation>标签权重</translation>
    </message>
    <message>
        <source>Weights of the outputs&apos; areas</source>
        <translation>各输出面积的权重</translation>
    </message>
    <message>
        <source>Precision and recall in one number</source>
        <translation>把精确率和召回率合为一个数</translation>
    </message>
    <message>
        <source>Precision and recall in one number, recall beta times as important</source>
        <translation>把精确率和召回率合为一个数，召回率的重要性是 beta 倍</translation>
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
        <source>How many of the largest outputs count</source>
        <translation>计入最大的多少个输出</translation>
    </message>
    <message>
        <source>Share of samples whose class is among the k largest outputs</source>
        <translation>类别在最大的 k 个输出之中的样本比例</translation>
    </message>
    <message>
        <source>Share of samples whose target&apos;s largest is among the k largest outputs</source>
        <translation>目标最大者在最大的 k 个输出之中的样本比例</translation>
    </message>
    <message>
        <source>Root of the mean squared difference</source>
        <translation>均方差的平方根</translation>
    </message>
    <message>
        <source>How the outputs&apos; scores become one; none: one each</source>
        <translation>各输出的分数如何合为一个；无：各有一个</translation>
    </message>
    <message>
        <source>Share of the targets&apos; variance that is explained</source>
        <translation>目标方差中得到解释的比例</translation>
    </message>
    <message>
        <source>Regressors</source>
        <translation>回归变量数</translation>
    </message>
    <message>
        <source>Inputs that the score is adjusted for; 0: not adjusted</source>
        <translation>按多少个输入修正分数；0：不修正</translation>
    </message>
    <message>
        <source>How much two vectors point the same way: 1 the same, -1 opposite</source>
        <translation>两个向量的方向多么一致：1 相同，-1 相反</translation>
    </message>
    <message>
        <source>As many classes as a guess as good would choose among</source>
        <translation>同样好的猜测相当于在多少个类别中选择</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>类别数</translation>
    </message>
    <message>
        <source>Number of classes; left out, the network&apos;s</source>
        <translation>类别的个数；省略时为网络的个数</translation>
    </message>
    <message>
        <source>Only classes</source>
        <translation>只计类别</translation>
    </message>
    <message>
        <source>Classes that the mean is of; none: all</source>
        <translation>取平均的类别；无：全部</translation>
    </message>
    <message>
        <source>Keras&apos;s word for it; known here from the shapes</source>
        <translation>Keras 的说法；这里由形状得知</translation>
    </message>
    <message>
        <source>How far the areas of each class overlap, in the mean</source>
        <translation>各类别的区域重叠程度的平均值</translation>
    </message>
    <message>
        <source>Targets are classes</source>
        <translation>目标为类别</translation>
    </message>
    <message>
        <source>Outputs are classes</source>
        <translation>输出为类别</translation>
    </message>
    <message>
        <source>From it on an output means yes</source>
        <translation>从它开始的输出表示是</translation>
    </message>
    <message>
        <source>Parts of names of variables that keep their size, such as bias</source>
        <translation>保持大小的变量名称中的部分，例如 bias</translation>
    </message>
    <message>
        <source>Without decay</source>
        <translation>不衰减</translation>
    </message>
    <message>
        <source>Moving average</source>
        <translation>滑动平均</translation>
    </message>
    <message>
        <source>Keeps a moving average of the weights; a finished run is saved with it</source>
        <translation>保存权重的滑动平均；完成的训练以它保存</translation>
    </message>
    <message>
        <source>Average momentum</source>
        <translation>平均的动量</translation>
    </message>
    <message>
        <source>How slowly the average follows the weights</source>
        <translation>平均值跟随权重的缓慢程度</translation>
    </message>
    <message>
        <source>Average takes over</source>
        <translation>平均值接替</translation>
    </message>
    <message>
        <source>The average replaces the weights after every so many steps; none: at the end</source>
        <translation>每隔这么多步平均值取代权重；无：在结束时</translation>
    </message>
    <message>
        <source>Parts of names of variables that are left to Adam</source>
        <translation>交给 Adam 的变量名称中的部分</translation>
    </message>
    <message>
        <source>Left to Adam</source>
        <translation>交给 Adam</translation>
    </message>
    <message>
        <source>Coefficient</source>
        <translation>系数</translation>
    </message>
    <message>
        <source>Of the polynomial that makes the step orthogonal</source>
        <translation>使步正交的多项式的系数</translation>
    </message>
    <message>
        <source>Weight decay of Adam</source>
        <translation>Adam 的权重衰减</translation>
    </message>
    <message>
        <source>Weight decay of what is left to Adam</source>
        <translation>交给 Adam 的部分的权重衰减</translation>
    </message>
    <message>
        <source>Embeddings to Adam</source>
        <translation>嵌入交给 Adam</translation>
    </message>
    <message>
        <source>Leaves variables with embedding in their name to Adam</source>
        <translation>名称中带有 embedding 的变量交给 Adam</translation>
    </message>
    <message>
        <source>Rate of Adam</source>
        <translation>Adam 的学习率</translation>
    </message>
    <message>
        <source>The learning rate of what is left to Adam is multiplied by it</source>
        <translation>交给 Adam 的部分的学习率乘以它</translation>
    </message>
    <message>
        <source>Newton-Schulz steps</source>
        <translation>Newton-Schulz 步数</translation>
    </message>
    <message>
        <source>How often the step is made more orthogonal</source>
        <translation>使步更正交的次数</translation>
    </message>
    <message>
        <source>Step size</source>
        <translation>步长</translation>
    </message>
    <message>
        <source>Root mean square of a step at learning rate 1; none: not scaled</source>
        <translation>学习率为 1 时一步的均方根；无：不缩放</translation>
    </message>
    <message>
        <source>Adam by the largest gradient in place of the mean square</source>
        <translation>以最大梯度代替均方的 Adam</translation>
    </message>
    <message>
        <source>Adam with Nesterov momentum</source>
        <translation>带 Nesterov 动量的 Adam</translation>
    </message>
    <message>
        <source>Steps as long as the steps before, by the recent gradients</source>
        <translation>按最近的梯度，步与之前的步一样长</translation>
    </message>
    <message>
        <source>Rate power</source>
        <translation>学习率的幂</translation>
    </message>
    <message>
        <source>How the rate falls with the sum of squares; 0: it does not</source>
        <translation>学习率如何随平方和下降；0：不下降</translation>
    </message>
    <message>
        <source>Follows the regularized leader: weights that matter little become zero</source>
        <translation>跟随正则化的领先者：作用小的权重变为零</translation>
    </message>
    <message>
        <source>L1</source>
        <translation>L1</translation>
    </message>
    <message>
        <source>Cost of the weights&apos; sizes</source>
        <translation>权重大小的代价</translation>
    </message>
    <message>
        <source>L2</source>
        <translation>L2</translation>
    </message>
    <message>
        <source>Cost of the weights&apos; squares</source>
        <translation>权重平方的代价</translation>
    </message>
    <message>
        <source>L2 shrinkage</source>
        <translation>L2 收缩</translation>
    </message>
    <message>
        <source>Cost of the weights&apos; squares, added to the gradient alone</source>
        <translation>权重平方的代价，只加到梯度上</translation>
    </message>
    <message>
        <source>Slows the first steps down</source>
        <translation>放慢最初的步</translation>
    </message>
    <message>
        <source>Steps of one size, by the sign of the mean gradient</source>
        <translation>按平均梯度的符号走同样大小的步</translation>
    </message>
    <message>
        <source>Adam with a step for each variable that fits its weights: for large batches</source>
        <translation>每个变量的步与其权重相称的 Adam：用于大批次</translation>
    </message>
    <message>
        <source>Little state: mean squares of rows and columns in place of every weight&apos;s</source>
        <translation>状态少：以行和列的均方代替每个权重的均方</translation>
    </message>
    <message>
        <source>Beta 2 decay</source>
        <translation>Beta 2 衰减</translation>
    </message>
    <message>
        <source>Power of the step by which new squares count less</source>
        <translation>新的平方按步数的这个幂减弱</translation>
    </message>
    <message>
        <source>Epsilon 1</source>
        <translation>Epsilon 1</translation>
    </message>
    <message>
        <source>Added to squared gradients</source>
        <translation>加到梯度的平方上</translation>
    </message>
    <message>
        <source>Epsilon 2</source>
        <translation>Epsilon 2</translation>
    </message>
    <message>
        <source>Least size of weights that steps are measured by</source>
        <translation>衡量步时权重的最小大小</translation>
    </message>
    <message>
        <source>Clip threshold</source>
        <translation>裁剪阈值</translation>
    </message>
    <message>
        <source>Largest root mean square of a step before the rate</source>
        <translation>乘学习率之前一步的最大均方根</translation>
    </message>
    <message>
        <source>Relative step</source>
        <translation>相对步长</translation>
    </message>
    <message>
        <source>The rate is at most one over the root of the step; Keras cuts it in either case</source>
        <translation>学习率最大为步数平方根的倒数；Keras 在两种情况下都会截断</translation>
    </message>
    <message>
        <source>Orthogonal steps for matrices, Adam for the rest</source>
        <translation>矩阵走正交的步，其余用 Adam</translation>
    </message>
    <message>
        <source>Momentum with a rate for each variable that fits its weights: for large batches</source>
        <translation>每个变量的学习率与其权重相称的动量法：用于大批次</translation>
    </message>
    <message>
        <source>Trust</source>
        <translation>信任系数</translation>
    </message>
    <message>
        <source>Length of a step as a share of the weights&apos; length; biases take the plain rate</source>
        <translation>步的长度占权重长度的比例；偏置用普通学习率</translation>
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
        <source>Steps that the decay is counted in</source>
        <translation>衰减所按的步数</translation>
    </message>
    <message>
        <source>Decay rate</source>
        <translation>衰减率</translation>
    </message>
    <message>
        <source>How strongly the rate falls over the decay steps</source>
        <translation>学习率在衰减步数内下降的程度</translation>
    </message>
    <message>
        <source>Staircase</source>
        <translation>阶梯</translation>
    </message>
    <message>
        <source>Falls in jumps, once every decay steps</source>
        <translation>每隔衰减步数跳跃下降一次</translation>
    </message>
    <message>
        <source>Smallest rate, as a share of the initial one</source>
        <translation>最小学习率，占初始学习率的比例</translation>
    </message>
    <message>
        <source>Falls by the same factor every decay steps</source>
        <translation>每隔衰减步数按同样的倍数下降</translation>
    </message>
    <message>
        <source>A rate for each stretch of steps</source>
        <translation>每段步数一个学习率</translation>
    </message>
    <message>
        <source>Boundaries</source>
        <translation>分界</translation>
    </message>
    <message>
        <source>Last steps of the stretches but the last, rising</source>
        <translation>除最后一段外各段的最后一步，递增</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>Learning rates of the stretches, one more than boundaries</source>
        <translation>各段的学习率，比分界多一个</translation>
    </message>
    <message>
        <source>Falls to an end along a power of the steps left</source>
        <translation>按剩余步数的幂下降到终值</translation>
    </message>
    <message>
        <source>End learning rate</source>
        <translation>最终学习率</translation>
    </message>
    <message>
        <source>Learning rate after the decay steps</source>
        <translation>衰减步数之后的学习率</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>幂</translation>
    </message>
    <message>
        <source>1 is a straight line</source>
        <translation>1 为直线</translation>
    </message>
    <message>
        <source>Cycle</source>
        <translation>循环</translation>
    </message>
    <message>
        <source>Starts again beyond the decay steps</source>
        <translation>超过衰减步数后重新开始</translation>
    </message>
    <message>
        <source>Falls as one over the steps</source>
        <translation>按步数的倒数下降</translation>
    </message>
    <message>
        <source>Falls along half a cosine, after a warm-up where wanted</source>
        <translation>沿半个余弦下降，需要时先预热</translation>
    </message>
    <message>
        <source>Warm-up target</source>
        <translation>预热目标</translation>
    </message>
    <message>
        <source>Rate that the warm-up rises to and the decay starts from; none: no warm-up</source>
        <translation>预热升到、衰减开始的学习率；无：不预热</translation>
    </message>
    <message>
        <source>Warm-up steps</source>
        <translation>预热步数</translation>
    </message>
    <message>
        <source>Steps that the rate rises over</source>
        <translation>学习率上升的步数</translation>
    </message>
    <message>
        <source>Half cosines one after the other, each longer and lower as wanted</source>
        <translation>一个接一个的半余弦，可以越来越长、越来越低</translation>
    </message>
    <message>
        <source>First decay steps</source>
        <translation>首个周期步数</translation>
    </message>
    <message>
        <source>Steps of the first cycle</source>
        <translation>第一个周期的步数</translation>
    </message>
    <message>
        <source>Longer each cycle</source>
        <translation>周期倍数</translation>
    </message>
    <message>
        <source>Each cycle has this many times the steps of the one before</source>
        <translation>每个周期的步数是前一个的多少倍</translation>
    </message>
    <message>
        <source>Lower each cycle</source>
        <translation>周期降幅</translation>
    </message>
    <message>
        <source>Each cycle starts at this share of the rate of the one before</source>
        <translation>每个周期从前一个学习率的这个比例开始</translation>
    </message>
    <message>
        <source>Falls by a factor after every so many steps</source>
        <translation>每隔若干步按倍数下降</translation>
    </message>
    <message>
        <source>Steps between two falls</source>
        <translation>两次下降之间的步数</translation>
    </message>
    <message>
        <source>Factor of each fall</source>
        <translation>每次下降的倍数</translation>
    </message>
    <message>
        <source>Rises to its largest rate and falls far below its first, once</source>
        <translation>升到最大学习率，再降到远低于最初，只一次</translation>
    </message>
    <message>
        <source>Largest rate</source>
        <translation>最大学习率</translation>
    </message>
    <message>
        <source>Rate at the top</source>
        <translation>顶点的学习率</translation>
    </message>
    <message>
        <source>Total steps</source>
        <translation>总步数</translation>
    </message>
    <message>
        <source>Steps of the cycle; then its last rate stays</source>
        <translation>周期的步数；之后保持最后的学习率</translation>
    </message>
    <message>
        <source>Share that rises</source>
        <translation>上升的比例</translation>
    </message>
    <message>
        <source>Share of the steps before the top</source>
        <translation>顶点之前的步数所占的比例</translation>
    </message>
    <message>
        <source>Along half a cosine or a straight line</source>
        <translation>沿半个余弦或直线</translation>
    </message>
    <message>
        <source>Way</source>
        <translation>方式</translation>
    </message>
    <message>
        <source>Start divisor</source>
        <translation>起始除数</translation>
    </message>
    <message>
        <source>The first rate is the largest divided by it</source>
        <translation>最初的学习率是最大学习率除以它</translation>
    </message>
    <message>
        <source>End divisor</source>
        <translation>终止除数</translation>
    </message>
    <message>
        <source>The last rate is the first divided by it</source>
        <translation>最后的学习率是最初的除以它</translation>
    </message>
    <message>
        <source>Three phases</source>
        <translation>三个阶段</translation>
    </message>
    <message>
        <source>Falls to its first rate as fast as it rose, then below</source>
        <translation>以上升的速度降回最初的学习率，再继续下降</translation>
    </message>
    <message>
        <source>After it</source>
        <translation>之后</translation>
    </message>
    <message>
        <source>The rate, or the schedule, that follows the warm-up</source>
        <translation>预热之后的学习率或调度</translation>
    </message>
    <message>
        <source>Rises in a straight line before any other schedule</source>
        <translation>在任何其他调度之前直线上升</translation>
    </message>
    <message>
        <source>What is watched: loss, the name of a metric, or val_ and one of these</source>
        <translation>监视的值：loss、某个指标的名称，或在其前加 val_</translation>
    </message>
    <message>
        <source>Watched value</source>
        <translation>监视的值</translation>
    </message>
    <message>
        <source>Whether less or more is better; auto: as the metric says</source>
        <translation>越小越好还是越大越好；auto：由指标决定</translation>
    </message>
    <message>
        <source>Direction</source>
        <translation>方向</translation>
    </message>
    <message>
        <source>Least change</source>
        <translation>最小变化</translation>
    </message>
    <message>
        <source>An improvement by less than this is none</source>
        <translation>改进小于该值不算改进</translation>
    </message>
    <message>
        <source>Ends training where a value has not become better for some epochs</source>
        <translation>某个值连续若干轮没有变好时结束训练</translation>
    </message>
    <message>
        <source>Patience</source>
        <translation>耐心</translation>
    </message>
    <message>
        <source>Epochs without an improvement that it waits for</source>
        <translation>没有改进时等待的轮数</translation>
    </message>
    <message>
        <source>Baseline</source>
        <translation>基线</translation>
    </message>
    <message>
        <source>Only a value better than this ends the waiting</source>
        <translation>只有优于该值才重新开始等待计数</translation>
    </message>
    <message>
        <source>Best weights</source>
        <translation>最佳权重</translation>
    </message>
    <message>
        <source>The run ends with the weights of its best epoch</source>
        <translation>运行以最佳一轮的权重结束</translation>
    </message>
    <message>
        <source>Epochs before</source>
        <translation>起始轮数</translation>
    </message>
    <message>
        <source>Epochs at the start that are not watched</source>
        <translation>开始时不监视的轮数</translation>
    </message>
    <message>
        <source>Factor</source>
        <translation>因子</translation>
    </message>
    <message>
        <source>The learning rate is multiplied by it</source>
        <translation>学习率乘以该值</translation>
    </message>
    <message>
        <source>Lowers the learning rate where a value has not become better for some epochs</source>
        <translation>某个值连续若干轮没有变好时降低学习率</translation>
    </message>
    <message>
        <source>Rest</source>
        <translation>冷却</translation>
    </message>
    <message>
        <source>Epochs after a reduction that are not counted</source>
        <translation>降低之后不计数的轮数</translation>
    </message>
    <message>
        <source>Least rate</source>
        <translation>最小学习率</translation>
    </message>
    <message>
        <source>The learning rate is not lowered below it</source>
        <translation>学习率不会降到该值以下</translation>
    </message>
    <message>
        <source>Every</source>
        <translation>间隔</translation>
    </message>
    <message>
        <source>Steps between two checkpoints, or epoch: at each epoch&apos;s end</source>
        <translation>两个检查点之间的步数；epoch：每轮结束时</translation>
    </message>
    <message>
        <source>Newest kept</source>
        <translation>保留最新</translation>
    </message>
    <message>
        <source>How many of its newest checkpoints stay; none: all of them</source>
        <translation>保留多少个最新的检查点；无：全部保留</translation>
    </message>
    <message>
        <source>Keeps checkpoints of the run, and the best weights as best.safetensors</source>
        <translation>保留运行的检查点，并将最佳权重存为 best.safetensors</translation>
    </message>
    <message>
        <source>Best alone</source>
        <translation>仅最佳</translation>
    </message>
    <message>
        <source>Keeps a checkpoint only where the watched value is the best so far</source>
        <translation>仅当监视的值为目前最佳时才保留检查点</translation>
    </message>
    <message>
        <source>Only a value better than this is a best one</source>
        <translation>只有优于该值才算最佳</translation>
    </message>
    <message>
        <source>Minutes</source>
        <translation>分钟</translation>
    </message>
    <message>
        <source>A checkpoint after every so many minutes of training as well</source>
        <translation>另外每训练若干分钟保留一个检查点</translation>
    </message>
    <message>
        <source>Best kept</source>
        <translation>保留最佳</translation>
    </message>
    <message>
        <source>How many checkpoints with the best watched values stay besides</source>
        <translation>另外保留多少个监视值最佳的检查点</translation>
    </message>
    <message>
        <source>Ends training where the loss is not finite; every run does so and names the first layer</source>
        <translation>损失不是有限值时结束训练；每次运行都会如此，并指出第一个出问题的层</translation>
    </message>
    <message>
        <source>Labels in their order, without where in the sequence they are: logits a step, class 0 is the blank; targets are padded with 0</source>
        <translation>按顺序排列的标签，不含其在序列中的位置：每步给出 logits，类别 0 为空白；目标以 0 填充</translation>
    </message>
    <message>
        <source>Dimension of the outputs; -1 is the last</source>
        <translation>输出所在的维度；-1 为最后一维</translation>
    </message>
    <message>
        <source>How far the outputs of a sample rise and fall with its targets: -1 to 1</source>
        <translation>样本的输出随其目标升降的程度：-1 到 1</translation>
    </message>
    <message>
        <source>As the correlation of Pearson, less where the values lie apart: 1 where they are the same</source>
        <translation>与皮尔逊相关相同，但数值相差时更小：完全相同时为 1</translation>
    </message>
    <message>
        <source>Steps that make an epoch; the data goes on where the one before ended. None: once through the data</source>
        <translation>一轮的步数；数据从上一轮结束处接着取。无：遍历一次数据</translation>
    </message>
    <message>
        <source>Steps per epoch</source>
        <translation>每轮步数</translation>
    </message>
    <message>
        <source>Validation after every so many epochs, or after the epochs of a list</source>
        <translation>每隔若干轮验证一次，或在列表中的各轮之后验证</translation>
    </message>
    <message>
        <source>Validation every</source>
        <translation>验证间隔</translation>
    </message>
    <message>
        <source>Validation after every so many steps as well; none: at the end of epochs alone</source>
        <translation>另外每隔若干步验证一次；无：仅在每轮结束时</translation>
    </message>
    <message>
        <source>Validation every (steps)</source>
        <translation>验证间隔（步）</translation>
    </message>
    <message>
        <source>learning_rate, clipnorm, clipvalue, global_clipnorm, weight_decay, or a layer&apos;s dropout such as drop/rate</source>
        <translation>learning_rate、clipnorm、clipvalue、global_clipnorm、weight_decay，或某层的丢弃率，例如 drop/rate</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>A setting that takes another value at a step of the run</source>
        <translation>在运行的某一步取另一个值的设置</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>The first update that it counts for</source>
        <translation>开始生效的那次更新</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Its value from then on; 0 of clipping and weight decay: off</source>
        <translation>此后的值；裁剪和权重衰减为 0：关闭</translation>
    </message>
    <message>
        <source>Rate or schedule from the stage&apos;s first step on; none: it goes on as it was</source>
        <translation>从该阶段第一步起的学习率或调度；无：保持原样</translation>
    </message>
    <message>
        <source>What the stage is called</source>
        <translation>阶段的名称</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>A part of training in which some layers learn and the others are frozen</source>
        <translation>训练的一部分，其中一些层学习，其余层冻结</translation>
    </message>
    <message>
        <source>How many epochs it lasts; the last stage goes to the end of training</source>
        <translation>持续多少轮；最后一个阶段持续到训练结束</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>How many steps it lasts, in place of epochs</source>
        <translation>持续多少步，代替轮数</translation>
    </message>
    <message>
        <source>Learning layers</source>
        <translation>学习的层</translation>
    </message>
    <message>
        <source>The layers that learn, all others are frozen; none: as the layers say</source>
        <translation>学习的层，其余全部冻结；无：按各层的设置</translation>
    </message>
    <message>
        <source>Frozen layers</source>
        <translation>冻结的层</translation>
    </message>
    <message>
        <source>Layers that do not learn, beside those that say so</source>
        <translation>除自身设为不学习的层之外，另外不学习的层</translation>
    </message>
    <message>
        <source>Optimizer anew</source>
        <translation>重置优化器</translation>
    </message>
    <message>
        <source>What the optimizer remembers begins anew, as in a run of its own</source>
        <translation>优化器记住的内容重新开始，如同单独的一次运行</translation>
    </message>
    <message>
        <source>Callbacks</source>
        <translation>回调</translation>
    </message>
    <message>
        <source>What watches the run at each epoch&apos;s end: stops it, lowers its rate, keeps its best weights</source>
        <translation>每轮结束时观察运行：停止它、降低学习率、保留最佳权重</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Parts of training one after the other, in which other layers learn</source>
        <translation>训练依次经过的阶段，每个阶段学习的层不同</translation>
    </message>
    <message>
        <source>Changes</source>
        <translation>变更</translation>
    </message>
    <message>
        <source>Settings that take another value at a step</source>
        <translation>在某一步取新值的设置</translation>
    </message>
    <message>
        <source>The device that computes</source>
        <translation>用于计算的设备</translation>
    </message>
</context>
</TS>
