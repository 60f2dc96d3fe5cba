"""What the meal texts of the Shanghai sets hold: words to foods of the catalogue, grams to macros.

A line of the Chinese text is a name and an amount: 米饭100g. The name is read from left to right
for the longest words of `WORDS`; each stands for foods of USDA SR28 (by NDB number) with their
grams in one gram of what was eaten. Several words of one name share its grams: a staple (rice,
noodles, bread; marked ``!``) counts twice. The Chinese text is used because it is always there
and says more than the English: 馒头, 包子 and 面包 are three foods, all "bread".

Assumptions, each a judgement:

- Rice, noodles and congee are weighed as eaten; oat flakes, nuts and powders dry.
- Flour is given back from the dish: a steamed bun is 60 % flour, cooked noodles 33 %, a meat bun
  36 %, a boiled dumpling 32 %; congee is 12 % grain.
- What has bone, shell or cob is weighed with it: fish 65 % edible, shrimp 60 %, chop 75 %,
  corn cob 60 %.
- Soup is 60 % broth, noodle soup 30 %. Cooked vegetables (marked ``~``) carry 3 % oil, what is
  fried in a pan 5 %, in deep fat 10 %; braised and sweet-sour dishes 3 % sugar.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache

__all__ = ["WORDS", "Line", "parse_lines", "sr28_grams"]

WORDS = """
! 米饭 饭 白米饭 白饭 主食 饭团 寿司: 20045 1
! 米: 20045 1
! 杂粮饭 杂粮米饭 杂粮 粗粮饭: 20045 .5, 20037 .2, 20032 .15, 16081 .15
! 黑米饭 糙米 红米饭 红米 黑米 高粱米饭 高粱饭 荞麦红米饭 荞麦米饭: 20037 1
! 炒饭 蛋炒饭 菜饭 咖喱米饭 花椰菜炒饭 粢饭团 粢饭糕: 20045 .85, 04044 .05, 01132 .1
! 泡饭 咸泡饭 杂粮泡饭 汤泡饭 汤饭: 20045 .6
! 粥 稀饭 白粥 海鲜粥: 20045 .36
! 小米粥 杂粮粥 小米绿豆粥 小米黑米粥 黑米粥 糙米粥 玉米粥 小米红薯粥 红薯粥 南瓜粥: 20032 .45
! 绿豆百合粥 红豆粥 莲子粥 绿豆粥: 20045 .25, 16081 .2
! 燕麦粥 麦片粥 红枣麦片粥: 08120 .15
! 麦片 燕麦 无糖麦片 藜麦燕麦: 08120 1
! 黎麦 藜麦: 20137 1
  奇亚籽 亚奇籽: 12006 1
! 麦片牛奶 牛奶麦片 燕麦牛奶: 08120 .12, 01077 .85
! 薏仁 薏米: 20045 .9
! 面条 面 荞麦面条 青菜面 青菜面条 拉面 凉面 冷面 汤面 面片 荞麦面片 意大利面: 20081 .33
! 荞麦面: 20081 .17, 20011 .15
! 大排面条 大排面: 20081 .25, 10089 .12
! 拌面 干拌面 热干面 葱油拌面 炒面 辣酱面 牛肉拌面 培根炒面: 20081 .33, 04044 .06
! 牛肉面 红烧牛肉面: 20081 .22, 13343 .1, 04044 .02
! 方便面: 20081 .4, 04044 .1
! 鸡汤面 鸡汤面条 汤面条: 20081 .23
! 面汤 面糊汤 面糊 米汤面: 20081 .1
! 玉米面: 20020 .3
! 米线 米粉 炒米粉 酸汤米粉: 20061 .28
! 粉丝 宽粉 粉皮 粉丝包: 16082 .25
! 馒头 白馒头 淡馒头 花卷 发糕 馍 玉米馒头 南瓜馒头 全麦馒头 牛肉馒头: 20081 .6
! 荞麦馒头 杂粮馒头 黑麦馒头: 20081 .42, 20011 .18
! 菜馒头: 20081 .4, 11117 .35, 04044 .03
! 窝头 杂粮窝头: 20020 .45, 20081 .1
! 肉包 包子 肉包子 小包子 生煎 生煎包 小笼包 牛肉包 荠菜肉包 锅贴 汉堡包: 20081 .36, 10220 .2
! 菜包 菜包子 杂粮包 胡萝卜包子 青菜香菇包 青菜包 梅干菜包 蔬菜包: 20081 .4, 11117 .35, 04044 .03
! 豆包 豆沙包: 20081 .36, 16081 .2, 19335 .1
! 饺子 水饺 蒸饺 大饺子: 20081 .32, 10220 .14, 11117 .22, 04044 .02
! 馄饨 小馄饨 大馄饨 菜肉馄饨: 20081 .24, 10220 .1, 11117 .1
! 烧麦: 20055 .8, 10220 .1, 20081 .12, 04044 .03
! 粽子 肉粽 肉粽子 赤豆粽 彩豆棕 粽: 20061 .42, 10220 .06
! 年糕 毛蟹年糕 糍粑 麻薯 无糖麻薯 汤圆 锅巴: 20061 .48
! 酒酿糕 米糕 黑米糕 绿豆糕 山楂糕 糕 糕点 点心 牛皮糖: 20061 .5, 19335 .12
! 酒酿丸子 米酒丸子: 20061 .15, 19335 .05
! 饼 面饼 煎饼 葱油饼 千层饼 菜饼 小饼 牛肉饼 南瓜饼 粗粮饼 杂粮饼 薄饼 韭菜盒子 锅饼: 20081 .5, 04044 .08
! 萝卜丝饼 油墩子 鸡蛋杂粮饼 杂粮煎饼 蛋饼: 20081 .35, 04044 .08, 01132 .1
! 芝麻饼 桃酥 酥 凤梨酥 榴莲酥 蛋挞 泡芙: 18155 1
! 月饼 鲜肉月饼 豆沙月饼 五仁月饼 莲蓉月饼: 18155 .5, 16081 .3, 19335 .1
! 米饼: 20061 .9
! 饼干 甜饼干 咸饼干 坚果饼干 牛奶饼 蛋卷: 18228 .6, 18155 .4
! 油条: 20081 .5, 04044 .18
! 春卷 小春卷: 20081 .35, 10220 .1, 04044 .15, 11117 .2
! 面包 吐司 土司 白吐司 白面包 甜面包 咸面包 羊角面包 椰丝面包 豆沙面包 牛奶面包 肉松面包 肉肠面包: 18069 1
! 全麦面包 黑麦面包 杂粮面包 全麦包: 18075 1
! 蛋糕 黑麦蛋糕 瑞士卷蛋糕 蛋肉丝蛋糕: 18133 1
! 无糖小蛋糕: 18069 .8, 04044 .1
! 三明治: 18069 .5, 07029 .2, 01132 .2
! 汉堡 牛肉汉堡 鳕鱼汉堡: 21107 1
! 披萨 鸡肉南瓜派: 21299 1
! 代餐粉 营养粉 藕粉: 08120 .8
! 玉米 煮玉米: 11168 .6
! 玉米粒 玉米汁: 11168 1
! 红薯 山芋 地瓜 紫薯 红薯干: 11510 1
! 芋艿 芋头 香芋 芋: 11519 .75
! 土豆 土豆丝 土豆泥: 11367 1
! 山药 淮山: 11602 .55
! 山药红枣薏米粉: 20061 .8
! 山药脆片: 20061 .6, 04044 .2
  南瓜: 11423 1, 11510 .2
  南瓜糊: 11423 1
! 西米: 20068 .25
  板栗: 11510 1.6
~ 藕 藕片 莲藕 藕夹: 11255 .8
  莲子 莲心: 16053 .9
  红豆 赤豆 绿豆 豆子 鹰嘴豆 芸豆 蚕豆 兰花豆: 16081 1
  绿豆汤 赤豆汤: 16081 .2, 19335 .04
  莲子红豆茯苓陈皮 莲子红豆茯苓橙皮汤 莲子红豆茯苓陈皮煮水: 16081 .4
  豌豆 青豆 甜豆: 11305 1
  毛豆 豆瓣: 11212 .7
  黄豆 纳豆 豆: 16109 1
~ 豇豆 缸豆 豆角 刀豆 四季豆 荷兰豆 龙豆 豆荚: 11053 1
  鸡蛋 蛋 白煮蛋 煮鸡蛋 煮蛋 水煮蛋 荷包蛋 茶叶蛋 卤蛋 卤鸡蛋 虎皮蛋 鹌鹑蛋 蛋干 煎鸡蛋: 01129 .9
  炒鸡蛋 炒蛋: 01132 1
  蒸蛋 蛋羹 炖蛋: 01129 .5
  鸭蛋 咸蛋 咸鸭蛋 皮蛋 松花蛋 炒鸭蛋 白煮鸭蛋: 01138 .88
  咸蛋黄: 01138 1, 04044 .15
  鸡蛋白 蛋白 鹅蛋白: 01124 1
  蛋汤 蛋花汤 鸡蛋汤: 01129 .15
  牛奶 奶 鲜牛奶 纯牛奶: 01077 1
  芋奶: 01077 .5, 11519 .2
  酸奶 发酵乳: 01116 .6, 01121 .4
  无糖酸奶: 01116 1
  酸奶油: 01116 1
  豆浆: 16222 .9
  杂粮豆浆 豆奶: 16120 1
  豆浆麦片 淡豆浆麦片: 16222 .85, 08120 .1
  蛋白粉 骆驼奶粉 奶粉: 14067 1
  咖啡: 14209 1
  咖啡牛奶 牛奶咖啡 拿铁 咖啡加奶 无糖咖啡牛奶 无糖奶茶: 14209 .5, 01077 .5
  奶茶: 01077 .4, 19335 .08
  柠檬茶 糖水 酸梅汁 苹果醋: 19335 .08
  茶 水 兰花 中药水 力度伸 清汤 参酒: 14411 1
  温姜汁 姜汤 姜 糖醋姜 糖醋浸姜: 11216 .1
  糖 葡萄糖 芝麻糖 太妃糖 麻糖: 19335 1
  橙汁 果汁: 09206 1
  果蔬浆 果蔬: 09003 .5, 11124 .3
  椰子汁 椰浆: 14171 1
  啤酒: 14003 1
  黄酒: 43479 .8
  红酒: 14096 1
  白酒: 14037 1
  黑芝麻核桃麦片糊: 08120 .09, 12023 .03, 12155 .03
  黑芝麻核桃糊 芝麻糊: 12023 .06, 12155 .04, 20061 .06
  芝麻核桃粉 核桃芝麻 芝麻核桃 黑芝麻: 12023 .5, 12155 .5
  核桃 坚果 大核桃 核桃仁 山核桃仁 果干和坚果 干果 杏仁 松仁: 12155 1
  核桃夹枣 枣夹核桃: 12155 .4, 09421 .55
  花生 花生米 槽花生 盐水花生: 16088 .8
  醋花生: 16087 .7
  瓜子 香瓜子 南瓜籽 南瓜子: 12036 .6
  零食: 18228 1
  红枣 枣 枣子: 09421 .85
  冬枣: 09003 1.5
  枸杞: 09110 1
  葡萄干: 09298 1
  桃胶 白木耳 银耳羹 白木耳羹 铁皮枫斗: 14411 1
  苹果: 09003 1
  香蕉: 09040 .75
  梨 梨子 香梨 生梨: 09252 .9
  橙 橙子 褚橙: 09200 .8
  橘子 桔子 小桔子 金桔 皇帝柑 丑橘: 09218 .8
  柚子 葡萄柚 西柚: 09112 .8
  桃子 黄桃: 09236 .9
  猕猴桃 奇异果: 09148 .85
  西瓜: 09326 .8
  甜瓜 哈密瓜 黄金瓜 黄金瓜丝: 09181 .85
  葡萄: 09132 1
  草莓: 09316 1
  蓝莓 蓝莓酱: 09050 1
  樱桃 莲雾: 09070 .7
  菠萝: 09266 1
  荔枝 山竹: 09164 .6
  李子: 09279 1
  枇杷: 09236 .8
  小柿子 柿子: 09263 .9
  牛油果: 09037 .8
  水果: 09003 1
  番茄 西红柿 圣女果 小番茄 大番茄: 11529 1
  黄瓜 青瓜 小黄瓜 黄瓜丝: 11205 1
  生菜 蔬菜色拉 色拉 沙拉 蔬菜沙拉 生菜色拉 生菜沙拉: 11253 1
~ 青菜 小青菜 小白菜 鸡毛菜 菜 素菜 蔬菜 炒菜 菜心 广东菜心 塔菜 油菜 空心菜 空菜 杭白菜 杭百菜: 11117 1
~ 米苋 米笕 苋菜 豆苗 豌豆苗 草头 荠菜 蓬蒿菜 蓬花菜 茼蒿 马兰头 马兰 红薯叶 水芹 香菜 韭菜: 11458 1
~ 菠菜: 11458 1
~ 白菜 大白菜 黄芽菜 黄牙菜 娃娃菜 烂糊: 11117 1
~ 卷心菜 包菜 牛心菜 包心菜 酸菜 辣白菜 泡菜: 11110 1
  咸菜 雪菜 酱菜 榨菜 腌菜 萝卜干 酱萝卜 菜干 梅菜: 11941 1.5
~ 西兰花 西蓝花 花菜 花椰菜: 11091 1
~ 芹菜 西芹 芦笋 蒜苗 蒜苔 蒜台 莴笋 莴笋丝 莴苣 秋葵 大蒜: 11144 1
~ 茄子: 11210 1
~ 豆芽 绿豆芽 黄豆芽: 11044 1
~ 冬瓜 丝瓜 夜开花 西葫芦 苦瓜 瓠瓜: 11594 1
~ 萝卜 白萝卜 青萝卜 萝卜丝: 11431 1
~ 胡萝卜 胡萝卜丝: 11125 1
~ 洋葱 大葱: 11283 1
~ 青椒 辣椒: 11334 1
~ 茭白 笋 竹笋 笋干 笋丝 酸笋 冬笋 马蹄: 11012 1
~ 韭黄 韭芽: 11283 .6
~ 香菇 蘑菇 金针菇 杏鲍菇 菌菇 菌类 茶树菇 平菇 赤松茸 菌: 11261 1
~ 黑木耳 木耳: 11261 .6
  海带 海带结 紫菜 海蜇 海蜇丝 海蜇头: 11445 1
  百合: 11255 1
  豆腐 豆花 豆腐花 老豆腐: 16126 1
  麻婆豆腐 家常豆腐 臭豆腐: 16126 .9, 04044 .06
  豆干 香干 豆腐干 三丝 素鸡 百叶 厚百叶 百叶结 百叶丝 千叶豆腐 豆腐结 干丝 拌干丝 熏豆腐 腐竹: 16126 1.6
  油豆腐 豆腐衣 腐皮: 16129 .8
  腐乳 乳腐 红腐乳: 16132 1
  烤麸 油面筋 素什锦 素食: 48052 .2, 04044 .05
  百叶包 面筋塞肉 豆腐衣包肉: 16126 .8, 10220 .4
  虾 河虾 虾仁 基围虾 草虾 白米虾 白虾 虾肉 甜虾 小龙虾 醉虾 条虾 虾皮 虾米 虾滑 鲜虾: 15151 .6
  鱼 带鱼 鱼肉 鲳鱼 小鲳鱼 熏鲳鱼 鲈鱼 小黄鱼 黄鱼 鱼片 鱼块 鱼排 鳊鱼 鲫鱼 青花鱼 白水鱼 米鱼 黑鱼片 鱼头: 15092 .65
  咸鱼 杂鱼 河鱼 巴沙鱼 巴沙鱼片 三文鱼 金枪鱼 鱼尾 酸菜鱼 鱼丸 鱼片干 鳝丝 黄鳝 佛跳墙 日料大杂烩: 15092 .75
  蟹 螃蟹 大闸蟹 蟹肉 膏蟹 白蟹 梭子蟹: 15140 .45
  海参 鱿鱼 墨鱼 目鱼 蛤蜊 花蛤 蛤 蛏子 生蚝 鲍鱼 蛤蜊肉: 15229 .5
  鸡 鸡肉 鸡块 白斩鸡 白切鸡 三黄鸡 咸鸡 鸡腿 小鸡腿 鸡腿肉 童子鸡 手撕鸡 鸡丝 鸡中翅 鸡柳 鸡片 烤鸡肉: 05010 .75
  鸡胸 鸡胸肉: 05064 1
  炸鸡腿 炸鸡块: 05010 .75, 20081 .1, 04044 .1
  鸡爪 凤爪 鸭爪 鹅掌: 05335 .6
  鸡胗 鸭胗 鸭血 猪血 毛血旺 鸭头 猪肺 猪肚 白切猪肚: 10863 .9
  鸭 鸭子 鸭肉 烤鸭 盐水鸭 鸭腿 鸭块 鸭膀 老鸭 烧鹅 盐水鹅: 05140 .65
  鹅肝: 10111 1
  鸽子 鸽子肉: 05160 .6
  猪肉 肉 肉片 肉丝 小肉 大肉 白肉 瘦肉 里脊 肉干 肉松 肉粒 肉毛: 10011 1
  红烧肉 五花肉 咸肉 烤肉 肉皮 烤猪肉: 10220 .6, 10005 .35, 19335 .02
  肉圆 肉丸 肉糜 肉沫 肉末 肉饼 狮子头 肉酱 丸子 圆子 贡丸: 10220 .85
  蔬菜丸子: 20081 .2, 11125 .5, 04044 .05
  大排 排骨 小排 小排骨 肋排 排条 肉骨头 骨头 筒骨 骨 猪排: 10089 .7
  炸猪排: 10089 .7, 20081 .12, 04044 .1
  猪蹄 猪脚 猪爪 蹄髈 蹄膀 猪耳 猪舌: 10173 .7
  猪肝: 10111 1
  牛肉 牛肉片 牛肉粒 牛腩 牛筋 牛腱 牛排 牛尾 牛舌 牛肉丝: 13343 .95
  羊肉 羊排 羊骨棒 羊蝎子: 17041 .85
  香肠 红肠 肉肠 火腿肠 腊肠 鱼肠: 07029 .8, 20081 .05, 04044 .08
  火腿 火腿片 培根: 07029 1
  火锅 冒菜 麻辣烫: 11117 .3, 10011 .15, 16126 .15, 04044 .04
  辣酱 八宝辣酱: 10220 .3, 16126 .3, 04044 .15
  腌笃鲜: 10220 .15, 11012 .3
  罗宋汤: 11530 .2, 11367 .1, 13343 .05
  汤: 11117 .1
  冰淇淋 雪糕: 19095 1
  布丁: 01077 .8, 19335 .1
  巧克力: 19905 1
"""
"""The vocabulary: words, then NDB numbers with grams of that food in one gram as eaten."""

_AMOUNT = re.compile(
    r"^(?P<name>\D*?)(?P<grams>\d+(?:\.\d+)?)\s*(?P<unit>g|克|毫升|ml|mg|m|两|片|勺|杯)?"
    r"(?P<rest>\D*?(?:\d+(?:\.\d+)?g糖\D*)?)$",
    re.IGNORECASE,
)
_SUGAR_ADDED = re.compile(r"加了?(\d+(?:\.\d+)?)g?糖")
_UNIT_GRAMS = {"两": 50.0, "片": 35.0, "勺": 10.0, "杯": 240.0}
_DEEP_FRIED = re.compile("炸|油爆|酥")
_PAN_FRIED = re.compile("炒|烧|煎|焖|葱油|溜|椒盐|干锅|糖醋|拌|爆|鱼香|炖|锅")
_SWEETENED = re.compile("红烧|糖醋|茄汁")
_BROTH = re.compile("汤|煮水")
_OIL, _SUGAR = "04044", "19335"


@dataclass(frozen=True)
class Line:
    """One line of a meal text: what and how many grams; NaN where the text gives no amount."""

    name: str
    grams: float


@dataclass(frozen=True)
class _Word:
    recipe: tuple[tuple[str, float], ...]
    staple: bool
    cooked_in_oil: bool


def parse_lines(text: str) -> list[Line]:
    """Read a meal text into names and grams.

    Millilitres count as grams, "mg" is a slip for g, one liang is 50 g. Names without an amount
    share that of the next line that has one.

    Parameters
    ----------
    text : str
        The Chinese text, one food a line.

    Returns
    -------
    list of Line
        The lines, amounts in grams as eaten.

    Examples
    --------
    >>> parse_lines("米饭100g\\n白菜\\n豆腐60g\\n200ml牛奶.")
    [Line(name='米饭', grams=100.0), Line(name='白菜豆腐', grams=60.0), Line(name='牛奶', grams=200.0)]
    """
    lines: list[Line] = []
    waiting = ""
    for part in re.split(r"[\n，,、；;]+", text):
        part = part.strip(" .。\t\r")
        sugar = _SUGAR_ADDED.search(part)
        if sugar:
            lines.append(Line("糖", float(sugar[1])))
            part = part.replace(sugar[0], "")
            part = part if re.search(r"\d", part) else f"{part}240g"
        part = re.sub(r"\d+[片勺杯](?=\d)", "", part)
        match = _AMOUNT.match(part)
        if match is None:
            waiting += part
            continue
        unit = (match["unit"] or "g").lower()
        name = waiting + match["name"].strip() + match["rest"].strip()
        if not name and lines and unit != "g":
            continue
        lines.append(Line(name, float(match["grams"]) * _UNIT_GRAMS.get(unit, 1.0)))
        waiting = ""
    if waiting:
        lines.append(Line(waiting, float("nan")))
    return lines


@cache
def sr28_grams(name: str) -> dict[str, float] | None:
    """Say what one gram of a named dish holds.

    Parameters
    ----------
    name : str
        The Chinese name, without an amount.

    Returns
    -------
    dict of str to float or None
        Grams of each SR28 food by NDB number; None when no word of the name is known.

    Examples
    --------
    >>> sr28_grams("米饭")
    {'20045': 1.0}
    >>> sr28_grams("番茄炒蛋")["11529"]
    0.475
    >>> sr28_grams("???") is None
    True
    """
    words, pattern = _vocabulary()
    found = [words[word] for word in pattern.findall(name)]
    if not found:
        return None
    solids, oil, sugar = 1.0, 0.0, 0.0
    exact = name in words
    if not exact:
        if _BROTH.search(name):
            broth = 0.3 if any(word.staple for word in found) else 0.6
            found = [word for word in found if word != words["汤"]] or found
            solids = 1.0 - broth
        if _DEEP_FRIED.search(name):
            oil = 0.10
        elif _PAN_FRIED.search(name):
            oil = 0.05
        if _SWEETENED.search(name):
            sugar = 0.03
    if not oil and any(word.cooked_in_oil for word in found):
        oil = 0.03 * solids
    weights = [2.0 if word.staple else 1.0 for word in found]
    grams: defaultdict[str, float] = defaultdict(float)
    for word, weight in zip(found, weights, strict=True):
        for key, share in word.recipe:
            grams[key] += share * weight / sum(weights) * solids * (1.0 - oil)
    for key, share in ((_OIL, oil), (_SUGAR, sugar)):
        if share:
            grams[key] += share
    return dict(grams)


@cache
def _vocabulary() -> tuple[dict[str, _Word], re.Pattern[str]]:
    words: dict[str, _Word] = {}
    for line in WORDS.strip("\n").splitlines():
        mark, rest = line[0], line[2:]
        names, _, recipe = rest.partition(":")
        parts = (part.split() for part in recipe.split(","))
        contents = tuple((key, float(share)) for key, share in parts)
        for name in names.split():
            words[name] = _Word(contents, staple=mark == "!", cooked_in_oil=mark == "~")
    by_length = sorted(words, key=len, reverse=True)
    return words, re.compile("|".join(map(re.escape, by_length)))
