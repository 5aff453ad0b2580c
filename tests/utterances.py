"""What people say in the thread of a digest about acme/engine and acme/web-ui, and whether the bot is asked."""

ANSWERED = """
#39205 有什么风险？
#39205 有什么风险
＃39205 的背景是什么
PR 39205 是谁写的
pr39205 呢
PR#39205 为什么重要
那 #39205 呢？
#39205
#39205 #39206
PR 39205
#39205 合了吗
#39205 合入了吗？
#39205 要不要回滚？
#39205 这个 PR 有什么风险
#39205 和 #39206 有冲突吗
#39205 的改动点
讲讲 #39205
讲一下＃39205
请介绍一下 #39205
详细说说 #39205
#39205 展开讲讲
帮我总结一下 #39205
看看 #39205
对比 #39205 和 #39206
acme/engine#39205 改了什么
engine#39205 改了什么
39205 号 PR 改了什么
39205 有什么风险
合并请求 39205 影响哪些文件
https://github.example/acme/engine/pull/39205 讲了什么？
总结一下 https://github.example/acme/engine/pull/39205
https://github.example/acme/engine/pull/39205/files 改了哪些文件
哪些 PR 缺少测试覆盖？
哪些PR缺少测试
有哪些风险
有风险吗
这周有哪些风险
本周合入了几个 PR
这周一共几个回滚？
几个 PR 没有测试？
多少个 PR 改了默认配置
谁改了 scheduler
谁改的最多？
runner.py 谁改的？
engine/core.py 最近谁在改
scheduler 有什么变化
调度器有什么变化？
量化相关的改了什么？
量化呢？
投机解码怎么样了
注意力后端谁动了
核心路径变更有哪些
缺少测试覆盖的有谁
平台兼容性方面呢
这周的变化对我们有什么影响？
对我们升级有影响吗
我想知道哪些 PR 改了 API
我们想了解一下本周的回滚
为什么这周风险这么高
怎么这周没有回滚？
有没有回滚
有没有破坏性变更
有无不兼容的改动
是否有默认值变化
最重要的 PR 是哪个
哪个模块改动最多
热点文件有哪些
重点是什么
本周重点是什么？
上周和这周比怎么样，风险变多了吗
fp8 支持了哪些模型
v0.19.0 之后有哪些变更
列一下所有回滚
列出缺少测试的 PR
列举本周的依赖升级
总结一下本周重点
汇总一下风险
介绍一下本周的新功能
说说性能相关的改动
查一下 runner.py 的改动
找找和 CUDA 有关的 PR
给我列一下核心路径变更
请问本周有安全修复吗
想了解本周的依赖变化
这周有回滚？
what changed in the scheduler?
what changed in the scheduler
What are the risks this week?
which PRs touch the config?
which PRs lack tests
who changed runner.py
who wrote #39205?
how risky is #39205
why is #39205 important?
any breaking changes this week?
any reverts
are there any reverts this week?
does #39205 break the API?
is there a fix for the scheduler?
did the default of max_tokens change?
how many PRs were merged this week?
tell me about #39205
tell me which PRs changed the scheduler
show me the reverts
list the breaking changes
explain #39205
summarize the risks
please list PRs without tests
does this affect us? #39205
so which files are hot?
这周 scheduler 的 change 有哪些
#39205 的 risk 是什么
哪些 PR touch 了 attention
有没有 breaking change？
有哪些 PR 影响 fp8 quant
top
top 5
risks
风险
热点
/digest top
/digest risks 外部依赖
pr 39205
score 39205
评分依据 39205
重点
上周风险
help
帮助
week 2026-W14
调度器这周动了哪些地方
这期有没有涉及 KV cache 的
哪些 PR 需要特别关注
#39205 影响 A100 吗
#39205 上线了没
#39205 谁 review 的
#39205 是干什么的
#39205 什么时候合的
PR39205 详情
39205 是什么
39205 讲讲
有哪些 PR 修了 OOM
谁改了 engine/worker/model_runner.py
model_runner.py 被谁改了
本周贡献最多的是谁
有多少 PR 没跑测试
新增了哪些模型
支持了哪些新模型？
ROCm 上有什么变化
这周 CI 有哪些改动
升级到 v0.19 有什么坑
从 v0.18 升级会带来什么
哪些 PR 被回滚了
这周最大的风险是什么
哪些改动会影响线上
fp8 相关的 PR 有吗
MoE 这周有更新吗
有没有人改过 scheduler
有安全问题吗
能不能列一下依赖升级
可以列一下依赖升级吗
帮忙列一下依赖升级
给我看看 #39205
介绍下 #39205 和 #39206 的区别
这些 PR 里哪些没有测试
为啥 #39205 评分这么高
#39205 的评分依据是什么
重点 PR 有哪些
上周有哪些重点变化
哪些文件改得最多
what's new in attention?
who reviewed #39205
is #39205 in v0.19?
has #39205 been reverted?
which files are hottest?
what was reverted
any CUDA changes?
tell me more about #39205
more on #39205
details of #39205
#39205 details
are there security fixes
what about #39205?
how many PRs
#39205？
这周 KV cache 改了啥
有没有性能回退
有没有涉及 tokenizer 的改动
配置项有变化吗
哪些默认值变了
默认参数改了吗
scheduler.py 这周为什么改这么多
谁提交的 PR 最多
哪个作者最活跃
#88 跟 #90 什么关系
#88 解决了什么问题
#88 有测试吗
#88 回滚了吗
#88 谁批准的？
#88 进哪个版本
请总结 #88
总结 #88 的讨论
解释一下为什么 #88 是高风险
列出所有缺少测试覆盖的 PR
展开说说外部依赖
外部依赖有哪些
新模型集成具体是哪些？
本周有什么新功能
这周合入的 PR 都有哪些
最近有没有改 attention backend
和上周比风险多了还是少了？
多模态有进展吗
对 NPU 有影响吗
AMD 平台的改动呢
文档相关的有哪些
which tests were added for #88?
what does #88 do
why was #88 reverted?
was #88 merged into main?
list all PRs that touch scheduler.py
does anything change the default dtype?
are there any risky PRs this week?
what's risky this week
show risks
who touched config.yaml?
""".strip().splitlines()
"""Every line asks the digest something."""

SILENT = """
收到
收到！
收到，谢谢
谢谢
谢谢大家
多谢～
感谢
辛苦了
辛苦啦！
👍
👍👍
:+1:
:thumbsup:
+1
🎉🎉🎉
好的
好
好嘞
OK
ok
okay
lgtm
LGTM!
thx
Thanks!
thanks a lot
nice
great work
哈哈
哈哈哈哈哈
嗯嗯
明白了
了解
懂了
知道了
已阅
同意
赞
牛
666
我来看
我来看看
我看下
我来跟进
我来修 #39205
我已经在看 #39205 了
我觉得 #39205 有问题
已修复
#39205 已修复
#39205 已经合入了
#39205 回滚了
#39205 搞定
#39205 没问题了
#39205 LGTM
#39205 👍
谢谢 #39205
收到，#39205 我来处理
见 #39205
参考 #39205
和 #39205 重复
see #39205
fixed in #39205
related to #39205
I'll take #39205
we should revert #39205
下周再说
回头再看
明天讨论
下周一开会
先这样
等等
稍等
算了
这周真忙
风险好多啊
测试都挂了
CI 又挂了？
CI 挂了
改得不错
总结得不错
列得很清楚
周报写得很好
这个周报不错
没什么风险
没啥大问题
没什么变化
不知道谁改的
怎么又回滚了
先确认一下哪些 PR 影响我们
需要确认是否有风险
应该看看谁改了配置
你怎么看？
你觉得有风险吗？
你看看 #39205 有没有问题
你们谁改的配置？
您看下 #39205
大家怎么看
大家有什么问题吗
大家看看 #39205 有没有风险
有人看过 #39205 吗
有人知道为什么改默认值吗
谁来跟一下？
谁来 review #39205
谁有空看一下 #39205？
谁能讲讲这个改动
谁负责跟进风险？
这个 PR 谁来看一下
这个 PR 合了吗
这个改动有风险吗
合了吗
修了吗？
发布了吗
麻烦看下 #39205
帮忙 review 一下 #39205
辛苦看看 #39205
我们要升级吗
我们什么时候升级？
我们要不要回滚？
要不要回滚？
可以吗？
行吗
对吗？
是吗？
真的吗？
真的假的
啊？
？
？？？
为什么？
怎么办
怎么回事？
怎么样？
人呢？
晚上吃什么？
中午去哪吃
几点开会？
什么时候开会
会议链接在哪
谁有权限？
测试环境的账号是多少
下周几个 PR 要合？
周会谁讲？
@张三 你看看
@张三 #39205 有什么风险？
@alice can you check #39205?
请@李四看看 #39205
<@U0123456> #39205 是什么
张三：#39205 是你改的吗
张三，#39205 有什么风险？
李四 看下 #39205
老王，这周有哪些风险
王工：哪些 PR 缺少测试
刘老师，本周有回滚吗
Alice: what changed in the scheduler?
Bob, which PRs touch the config?
hey Bob what are the risks?
cc 李四
cc @李四 #39205
FYI #39205
can you explain #39205?
could someone look at #39205
who can review #39205?
who is going to fix the tests?
anyone knows why the default changed?
should we upgrade?
should we revert #39205?
do we need the new release?
what do you think about the risks
how are you?
what's for lunch?
when is the meeting?
what a week
what a mess
really?
why not
no idea
not sure which PR
i think the tests are broken
let's merge it
the tests are green
merged
done
this week was busy
https://github.example/acme/engine/pull/39205
https://github.example/acme/engine/pull/39205 https://github.example/acme/engine/pull/39206
<https://github.example/acme/engine/pull/39205>
看看这个 https://github.example/acme/engine/pull/39205
fyi https://github.example/acme/engine/pull/39205
https://github.example/other/project/pull/7 讲了什么？
other/project#7 是什么
https://news.example/post
这个 https://news.example/post 不错
issue #12 有人处理吗
工单 #4411 已关闭
预算 12000 够了
2026 年目标是什么？
3 个人去
周五上线
今天发版
升级完了
这周 #39205 上线之后吞吐掉了一成，运维那边已经先切回旧版本，等新的镜像出来以后再重新压测一次
#39205 我们已经 cherry-pick 了
#39205 这个我看过，没啥问题
这个 #39205 有点猛
已经在跟 #39205 的作者沟通
#39205 +1
#39205 ✅
同意回滚 #39205
先别升级，#39205 有坑
等 #39205 合了再说
我这边复现了 #39205 的问题
#39205 cc @bob
@bot-dev #39205 能看下吗
辛苦 @张三 跟一下
这周人手不够
下周我休假
今晚谁值班？
要不要约个会
周会上同步
会上说
文档我来写
昨天的问题解决了吗？
线上有报警吗？
吞吐怎么样了
你那边呢？
你觉得呢
咱们什么时候发版？
发版时间定了吗？
谁有 A100 的机器
有人试过 fp8 吗
都测过了吗
测试通过了吗
回滚了吗
这个 bug 修了吗
这个谁写的
谁写的？
怎么回事啊
什么情况？
啥意思
没看懂
看不懂
有道理
说得对
确实
对的
是不是搞错了？
不是这个
数据不对吧？
这个数字不对
周报里漏了一个
排版不错
可以的
没毛病
牛啊
太多了吧
这么多？
好多 bug
bug 真多
又是依赖升级
又回滚
终于合了
终于支持 fp8 了！
nice work everyone
good catch
agreed
will do
on it
looking
I'll check
let me check
same here
hmm
wow
lol
that's a lot of PRs
great week
anyone up for lunch?
can we talk about this tomorrow?
who's on call?
do you know why?
why though?
what?
huh?
let's discuss in the meeting
we need to upgrade
need to revert this
please fix
please review #39205
pls take a look at #39205
reviewing #39205 now
#39205 needs tests
#39205 looks risky
#39205 breaks our build
thanks for #39205
blocked by #39205
depends on #39205
老板问进度
小李说他在看
张三 在看 #39205
李工在跟 #39205
王五负责 #39205
请 Alice 看一下 #39205
我们组没人用这个
我看了下，影响不大
这个改动我们已经同步了
看起来没问题
看着还行
先放着
挺好
那就这样
周四前搞定
有点慢
CI 太慢了
等 CI
测试环境有人用吗
晚点同步
今天能发吗
我这边 OK
我这里报错了
报错：KeyError 'foo'
Traceback (most recent call last):
怎么升级啊
这怎么改
在哪看？
哪里有文档
文档链接发一下
把 #88 加到清单里
#88 加一下标签
#88 已经 merge
#88 我 review 过
#88 麻烦 rebase
#88 冲突了
#88 又挂了
#88 别合
#88 先不合
#88 可以合了
#88 下周合
#88 被拒了
@all 看一下
各位看看
有空的同学看下 #88
谁顺手修一下
谁有时间处理下风险
需要谁确认吗
这个需要改吗
要改吗
能合吗
可以升级了吗
为什么又是我
为什么要开会
什么时候吃饭
哪天团建
多少钱
几点下班
怎么请假
how do I upgrade?
how do we test this
what should I do
where is the doc
is it friday yet
is anyone testing this?
are we good?
ok to merge?
ready to ship?
should be fixed
I fixed the tests
we broke the config
the default changed again
bob fixed it
Bob is on #88
merge #88 please
""".strip().splitlines()
"""Every line asks nothing, or asks people."""
