"""Which host an address leads to, as a browser reads it, and which hosts a text names, as people read it.

A browser is generous: a backslash is a slash, tabs and newlines are not there, what stands before the last
`@` is a user's name, `%61` is a letter, `。` is a dot, `0x7f.1` is 127.0.0.1
(https://url.spec.whatwg.org/#host-parsing). People are generous too: for them `bank．com` and `*bank*.com`
are `bank.com`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from ..._shared.safety.secret_texts import UNSEEN
from .sentence_marks import late_pattern

__all__ = [
    "TOP_LEVEL_DOMAINS",
    "Address",
    "is_same_site",
    "may_name_host",
    "names_other_host",
    "read_address",
]

_SCHEME = re.compile(r"(https?):[\\/]*", re.IGNORECASE)
_AUTHORITY_END = re.compile(r"[/\\?#]")
_PORT = re.compile(r":[0-9]{0,5}\Z")
_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_PART_OF_IPV4 = re.compile(r"0[xX][0-9a-fA-F]{0,8}|[0-9]{1,11}")
_NOT_THERE = str.maketrans("", "", "\t\n\r")
_DOTS = str.maketrans("。．｡", "...")
_READ_AS_DOTS = str.maketrans(
    dict.fromkeys("。．｡\u0660\u06f0\u0701\u0702\ua4f8\ua60e\U00010a50\U0001d16d", ".")
)
"""Further signs that people take for a dot (https://www.unicode.org/reports/tr39/#Confusable_Detection)."""
_READ_AS_LATIN = str.maketrans("аеорсухіјѕкмтнвԁԛԝһӏοαρνικτυσχγηıɑɡ", "aeopcyxijskmthbdqwhloapviktucxyniag")
"""Letters of others that look like Latin ones, in small letters; a lunate sigma (`ϲ`) is a sigma by then."""
_BACKWARDS = "\u202e"
_UNSEEN = late_pattern(f"[{UNSEEN}]+")
_DECORATION = re.compile(r"[*_~|`\\]+")

_WORD = re.compile(r"[\w.-]+")
_SPACED = r"[^\W\u0e00-\u0eff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff]+"
_LATIN_WORD = late_pattern(rf"{_SPACED}(?:[.-]+{_SPACED})*")
"""Without the scripts that set no spaces between words: in `詳細はbank.comへ` people read `bank.com`."""
_AFTER_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:[\\/]{1,9}\Z")
_GOES_ON = re.compile(r":[0-9]|[/\\][^\s/\\]")

_RESERVED = frozenset({"example", "onion", "test"})
"""Endings that are nobody's, but that people take for an address."""
_OF_FILES = frozenset({"java", "md", "pl", "py", "rs", "sh", "zip"})
"""Endings of files above all: `setup.py` is no address, unless something else says so."""
_OF_CODE = frozenset({
    "build", "call", "date", "group", "link", "ml", "mm", "mov", "name", "open", "page", "pm", "ps", "run",
    "select", "so", "style", "target", "tf",
})  # fmt: skip
"""Endings of files and of code (`asyncio.run`) too: no address where the link's target ends with them."""
_PRODUCTS = frozenset({"ado.net", "asp.net", "ml.net", "vb.net"})


class Address(NamedTuple):
    """Where a link leads: its host, and what it ends with (the last part of its path, or its fragment)."""

    host: str
    tail: str


def read_address(url: str) -> Address | None:
    """The address of a web page, as a browser reads it; None for anything else."""
    url = url.strip("".join(map(chr, range(33)))).translate(_NOT_THERE)
    scheme = _SCHEME.match(url)
    if not scheme:
        return None
    end = _AUTHORITY_END.search(url, scheme.end())
    authority = url[scheme.end() : end.start() if end else None]
    host = _plain_host(_PORT.sub("", authority.rpartition("@")[2]))
    tail = re.split(r"[/\\#]", url[end.start() :])[-1] if end else ""
    return Address(host, _unescape(tail).casefold())


def is_same_site(name: str, host: str) -> bool:
    """Whether a host is the named one or belongs to it: `bank.com` and `login.bank.com`."""
    name, host = name.removeprefix("www."), host.removeprefix("www.")
    return name == host or host.endswith("." + name) or name.endswith("." + host)


def may_name_host(shown: str) -> bool:
    """A quick answer for almost all texts: plain words, without a dot or a colon, name no host."""
    return "." in shown or ":" in shown or not shown.isascii()


def names_other_host(shown: str, address: Address) -> bool:
    """Whether a text names a host to its readers that is not the one of an address."""
    text = _as_read(shown)
    if _BACKWARDS in shown and _names_other(text[::-1], address):
        return True
    return _names_other(text, address)


def _names_other(text: str, address: Address) -> bool:
    for word in _WORD.finditer(text):
        if is_same_site(_plain_host(word[0].strip(".-")), address.host):
            continue
        if any(
            looks_like_host(name, text, start, address.tail)
            and not is_same_site(_plain_host(name), address.host)
            for name, start in _names(word)
        ):
            return True
    return False


def looks_like_host(name: str, text: str, start: int, tail: str) -> bool:
    """Whether people take a name that stands at `start` in a text for an address."""
    rest, _, ending = name.rpartition(".")
    if not ending.isascii() and any("a" <= letter <= "z" for letter in rest + ending):
        ending = ending.translate(_READ_AS_LATIN)
    end = start + len(name)
    if _AFTER_SCHEME.search(text, max(0, start - 32), start):
        return True
    if "." not in name or name in _PRODUCTS:
        return False
    if name.startswith("www.") or (_is_ending(ending) and _GOES_ON.match(text, end)):
        return True
    if ending in _OF_FILES or (ending in _OF_CODE and tail.endswith(name)):
        return False
    return _is_ending(ending) or _is_ipv4(name)


def _names(word: re.Match[str]) -> Iterator[tuple[str, int]]:
    """The names in a word, each with its place in the text."""
    found = False
    for part in _LATIN_WORD.finditer(word.string, word.start(), word.end()):
        found = True
        yield part[0].strip(".-"), part.start()
    if not found:
        yield word[0].strip(".-"), word.start()


def _as_read(shown: str) -> str:
    """A text as people read it: without decoration, in plain letters."""
    text = unicodedata.normalize("NFKC", _DECORATION.sub("", _UNSEEN.sub("", shown)))
    return text.translate(_READ_AS_DOTS).casefold()


def _is_ending(label: str) -> bool:
    return label in TOP_LEVEL_DOMAINS or label in _RESERVED or label.startswith("xn--")


def _plain_host(host: str) -> str:
    """A host in the one form in which two can be compared: small Unicode letters, numbers as four parts."""
    host = _UNSEEN.sub("", unicodedata.normalize("NFKC", _unescape(host))).translate(_DOTS).casefold()
    labels = [_decode_label(label) for label in host.removesuffix(".").split(".")]
    return _ipv4(labels) or ".".join(labels)


def _decode_label(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return label


def _unescape(text: str) -> str:
    def decode(found: re.Match[str]) -> str:
        return bytes.fromhex(found[0].replace("%", "")).decode("utf-8", "replace")

    return _ESCAPES.sub(decode, text)


def _is_ipv4(name: str) -> bool:
    parts = name.split(".")
    return len(parts) == 4 and all(part.isdecimal() and len(part) < 4 and int(part) < 256 for part in parts)


def _ipv4(labels: list[str]) -> str:
    """Numbers as browsers read them, in one to four parts, of base 8, 10 or 16; empty if it is none."""
    if not 0 < len(labels) <= 4 or not all(_PART_OF_IPV4.fullmatch(label) for label in labels):
        return ""
    try:
        *heads, last = [_number(label) for label in labels]
    except ValueError:
        return ""
    if any(part > 255 for part in heads) or last >= 256 ** (4 - len(heads)):
        return ""
    value = sum(part << (24 - 8 * place) for place, part in enumerate(heads)) + last
    return ".".join(str(value >> shift & 255) for shift in (24, 16, 8, 0))


def _number(label: str) -> int:
    if label[:2] in {"0x", "0X"}:
        return int(label[2:] or "0", 16)
    return int(label, 8) if len(label) > 1 and label[0] == "0" else int(label)


_NAMES = """
aaa aarp abb abbott abbvie abc able abogado abudhabi ac academy accenture accountant accountants aco
actor ad ads adult ae aeg aero aetna af afl africa ag agakhan agency ai aig airbus airforce airtel akdn
al alibaba alipay allfinanz allstate ally alsace alstom am amazon americanexpress americanfamily amex
amfam amica amsterdam analytics android anquan anz ao aol apartments app apple aq aquarelle ar arab
aramco archi army arpa art arte as asda asia associates at athleta attorney au auction audi audible
audio auspost author auto autos aw aws ax axa az azure ba baby baidu banamex band bank bar barcelona
barclaycard barclays barefoot bargains baseball basketball bauhaus bayern bb bbc bbt bbva bcg bcn bd be
beats beauty beer berlin best bestbuy bet bf bg bh bharti bi bible bid bike bing bingo bio biz bj black
blackfriday blockbuster blog bloomberg blue bm bms bmw bn bnpparibas bo boats boehringer bofa bom bond
boo book booking bosch bostik boston bot boutique box br bradesco bridgestone broadway broker brother
brussels bs bt build builders business buy buzz bv bw by bz bzh ca cab cafe cal call calvinklein cam
camera camp canon capetown capital capitalone car caravan cards care career careers cars casa case cash
casino cat catering catholic cba cbn cbre cc cd center ceo cern cf cfa cfd cg ch chanel channel charity
chase chat cheap chintai christmas chrome church ci cipriani circle cisco citadel citi citic city ck cl
claims cleaning click clinic clinique clothing cloud club clubmed cm cn co coach codes coffee college
cologne com commbank community company compare computer comsec condos construction consulting contact
contractors cooking cool coop corsica country coupon coupons courses cpa cr credit creditcard
creditunion cricket crown crs cruise cruises cu cuisinella cv cw cx cy cymru cyou cz dad dance data date
dating datsun day dclk dds de deal dealer deals degree delivery dell deloitte delta democrat dental
dentist desi design dev dhl diamonds diet digital direct directory discount discover dish diy dj dk dm
dnp do docs doctor dog domains dot download drive dtv dubai dupont durban dvag dvr dz earth eat ec eco
edeka edu education ee eg email emerck energy engineer engineering enterprises epson equipment er
ericsson erni es esq estate et eu eurovision eus events exchange expert exposed express extraspace fage
fail fairwinds faith family fan fans farm farmers fashion fast fedex feedback ferrari ferrero fi
fidelity fido film final finance financial fire firestone firmdale fish fishing fit fitness fj fk flickr
flights flir florist flowers fly fm fo foo food football ford forex forsale forum foundation fox fr free
fresenius frl frogans frontier ftr fujitsu fun fund furniture futbol fyi ga gal gallery gallo gallup
game games gap garden gay gb gbiz gd gdn ge gea gent genting george gf gg ggee gh gi gift gifts gives
giving gl glass gle global globo gm gmail gmbh gmo gmx gn godaddy gold goldpoint golf goodyear goog
google gop got gov gp gq gr grainger graphics gratis green gripe grocery group gs gt gu gucci guge guide
guitars guru gw gy hair hamburg hangout haus hbo hdfc hdfcbank health healthcare help helsinki here
hermes hiphop hisamitsu hitachi hiv hk hkt hm hn hockey holdings holiday homedepot homegoods homes
homesense honda horse hospital host hosting hot hotel hotels hotmail house how hr hsbc ht hu hughes
hyatt hyundai ibm icbc ice icu id ie ieee ifm ikano il im imamat imdb immo immobilien in inc industries
infiniti info ing ink institute insurance insure int international intuit investments io ipiranga iq ir
irish is ismaili ist istanbul it itau itv jaguar java jcb je jeep jetzt jewelry jio jll jm jmp jnj jo
jobs joburg jot joy jp jpmorgan jprs juegos kaufen kddi ke kerryhotels kerryproperties kfh kg kh ki kia
kids kim kindle kitchen kiwi km kn koeln komatsu kosher kp kpmg kpn kr krd kred kuokgroup kw ky kyoto kz
la lacaixa lamborghini lamer land landrover lanxess lasalle lat latino latrobe law lawyer lb lc lds
lease leclerc lefrak legal lego lexus lgbt li lidl life lifeinsurance lifestyle lighting like lilly
limited limo lincoln link live living lk llc llp loan loans locker locus lol london lotte lotto love lpl
lplfinancial lr ls lt ltd ltda lu lundbeck luxe luxury lv ly ma madrid maif maison makeup man management
mango map market marketing markets marriott marshalls mattel mba mc mckinsey md me med media meet
melbourne meme memorial men menu merck merckmsd mg mh miami microsoft mil mini mint mit mitsubishi mk ml
mlb mls mm mma mn mo mobi mobile moda moe moi mom monash money monster mormon mortgage moscow moto
motorcycles mov movie mp mq mr ms msd mt mtn mtr mu museum music mv mw mx my mz na nab nagoya name navy
nba nc ne nec net netbank netflix network neustar new news next nextdirect nexus nf nfl ng ngo nhk ni
nico nike nikon ninja nissan nissay nl no nokia norton now nowruz nowtv np nr nra nrw ntt nu nyc nz obi
observer office okinawa olayan olayangroup ollo om omega one ong onion onl online ooo open oracle orange
org organic origins osaka otsuka ott ovh pa page panasonic paris pars partners parts party pay pccw pe
pet pf pfizer pg ph pharmacy phd philips phone photo photography photos physio pics pictet pictures pid
pin ping pink pioneer pizza pk pl place play playstation plumbing plus pm pn pnc pohl poker politie porn
post pr praxi press prime pro prod productions prof progressive promo properties property protection pru
prudential ps pt pub pw pwc py qa qpon quebec quest racing radio re read realestate realtor realty
recipes red redumbrella rehab reise reisen reit reliance ren rent rentals repair report republican rest
restaurant review reviews rexroth rich richardli ricoh ril rio rip ro rocks rodeo rogers room rs rsvp ru
rugby ruhr run rw rwe ryukyu sa saarland safe safety sakura sale salon samsclub samsung sandvik
sandvikcoromant sanofi sap sarl sas save saxo sb sbi sbs sc scb schaeffler schmidt scholarships school
schule schwarz science scot sd se search seat secure security seek select sener services seven sew sex
sexy sfr sg sh shangrila sharp shell shia shiksha shoes shop shopping shouji show si silk sina singles
site sj sk ski skin sky skype sl sling sm smart smile sn sncf so soccer social softbank software sohu
solar solutions song sony soy spa space sport spot sr srl ss st stada staples star statebank statefarm
stc stcgroup stockholm storage store stream studio study style su sucks supplies supply support surf
surgery suzuki sv swatch swiss sx sy sydney systems sz tab taipei talk taobao target tatamotors tatar
tattoo tax taxi tc tci td tdk team tech technology tel temasek tennis teva tf tg th thd theater theatre
tiaa tickets tienda tips tires tirol tj tjmaxx tjx tk tkmaxx tl tm tmall tn to today tokyo tools top
toray toshiba total tours town toyota toys tr trade trading training travel travelers travelersinsurance
trust trv tt tube tui tunes tushu tv tvs tw tz ua ubank ubs ug uk unicom university uno uol ups us uy uz
va vacations vana vanguard vc ve vegas ventures verisign versicherung vet vg vi viajes video vig viking
villas vin vip virgin visa vision viva vivo vlaanderen vn vodka volvo vote voting voto voyage vu wales
walmart walter wang wanggou watch watches weather weatherchannel web webcam weber website wed wedding
weibo weir wf whoswho wien wiki williamhill win windows wine winners wme woodside work works world wow
ws wtc wtf xbox xerox xihuan xin xxx xyz yachts yahoo yamaxun yandex ye yodobashi yoga yokohama you
youtube yt yun za zappos zara zero zip zm zone zuerich zw vermögensberater vermögensberatung ελ ευ бг
бел дети ею католик ком мкд мон москва онлайн орг рус рф сайт срб укр қаз հայ ישראל קום ابوظبي ارامكو
الاردن البحرين الجزائر السعودية السعوديه السعودیة السعودیۃ العليان المغرب اليمن امارات ايران ایران بارت
بازار بيتك بھارت تونس سودان سوريا سورية شبكة عراق عرب عمان فلسطين قطر كاثوليك كوم مصر مليسيا موريتانيا
موقع همراه پاكستان پاکستان ڀارت कॉम नेट भारत भारतम् भारोत संगठन বাংলা ভারত ভাৰত ਭਾਰਤ ભારત ଭାରତ இந்தியா
இலங்கை சிங்கப்பூர் భారత్ ಭಾರತ ഭാരതം ලංකා คอม ไทย ລາວ გე みんな アマゾン クラウド グーグル コム ストア
セール ファッション ポイント 世界 中信 中国 中國 中文网 亚马逊 企业 佛山 信息 健康 八卦 公司 公益 台湾
台灣 商城 商店 商标 嘉里 嘉里大酒店 在线 大拿 天主教 娱乐 家電 广东 微博 慈善 我爱你 手机 招聘 政务 政府
新加坡 新闻 时尚 書籍 机构 淡马锡 游戏 澳門 澳门 点看 移动 组织机构 网址 网店 网站 网络 联通 臺灣 谷歌
购物 通販 集团 電訊盈科 飞利浦 食品 餐厅 香格里拉 香港 닷넷 닷컴 삼성 한국
"""
TOP_LEVEL_DOMAINS = frozenset(_NAMES.split())
