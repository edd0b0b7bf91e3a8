"""Ordinary words of English, and names of places, programs and companies."""

from __future__ import annotations

__all__ = ["WORDS"]

WORDS = """
able about above abs absence absolutely abstract abuse academic academy accent accept acceptance accepted
access accident accord according account accountant accurate achieve across act acte acting action active
acto actor acts actual actually add added adding additional additionally address adjective admin admit adult
advance advanced advantage adverb advice affairs affect affected afford afraid africa african after
afternoon afterward afterword again against age agency agenda agent agree agreed ahead aid air aircraft
airport aktion alaska album alcohol alert alias alive all allergens allies allow allowed allowing almost
alone along already also alt alter alternative although always am amazing amazon america american among
amount amsterdam analysis ancestry ancient and android anecdote anger angle angry angular animal anime
ankles annex announced annual another anschließend answer antagonist antarctica anthem antonym any anybody
anymore anyone anything anyway anywhere apache apart aperitif app apparel apparently appeal appear
appearance appeared appetite appetizer apple applied apply appointed appreciate approach appropriate
approved approximately apps apreciado aquarius arabic arc arch archetype area arg args aries arm armed armor
armour arms army aroma around arrest arrested arrival arrive arrived article artist arts as asap ascendant
ashore asia asian aside ask asked asking aspect ass assembly assets assignee assist assistance assistant
associated assume at athens atmosphere ato attack attempt attend attendee attire attitude atto attorney
attribute audience audio august australia australian auth author auto autumn average avoid award aware away
awesome aws axe azure baby back backend background backstory bad bag bait bake baking balance bald ball
ballad ballpark band bangkok bank banner bar barcelona bard base based bash basic basically basketball bass
batch battle bcc be beach bear beauty became because become becoming bed been beer before beforehand began
begin beginner beginning behavior behaviour behind beijing being belief believe believed bell belle below
benefit berlin besides best bet better between beverage beyond bibliography biceps bid big bigger biggest
billion bio biography bird birth birthday birthplace bit bitch black blame blender block blocker blog blood
bloom blow blue blurb board boarding boat bodies body bodyweight boil boiling bolt bomb bond bonjour bonus
book booking boolean border born boss boston bot both bottle bottom bought bout bowl box boy boyfriend boys
brain branch brand branding brasil bravo brazil brazilian break breakdown breakfast breaking breathe brew
bride bridge brief briefing bright brilliant bring bringing british broke broken brothers brought brown
browser brunch budapest buddhist budget bug bugs build building built bullet bunch burden bureau burpees bus
businesses busy but butter button buy buyer buying by cache cadence café cairo calendar california call
called calling calories calves came camera camouflage camp campaign camping canada canadian canal cancer
candidate cane cannot capital capo capricorn car cara carb carbon card cardio care career cargo caro carried
carrying cars case cash cast casual cat catch category catholic caught cause caused cc cell cent center
central century ceo certain certainly certificate cha chain chair chairman challenge champ champion chance
chancellor change changed changelog changing channel chant chaos chapter character charge charged charisma
chart chat cheap cheat check checkpoint cheers cheese chemical cher chest chicago chicken chief child
children chile chill chilling china chinese choice choose chop chord chorus chose chosen christmas chrome
church chère ciao cinema cinematography circle circumstances cite cities citizens city civil claim claimed
class classic clause clean clear clearly cleric click client cliffhanger climate close closed closer closing
clothes clothing cloud club clue coach coast coda code codename coffee coin col cold collaborators colleague
collected college colloquial color column combat combine combined combo come comeback comfort coming command
commerce commercial commit committed committee common companies companion company compare compared
comparison competitive competitor complaint complete completed completely complex component computer con
concept concern concerned concert conducted conference confidence config confirmed conflict congress
connected cons consequence consequently conservative consider considered constraint consumer contact
contains content context continue continued contract contrast control controlled conversely convo cook
cooking cool cooldown cooling coordinates copenhagen copy copyright core corner corollary corporate corps
correct cost could council count counter counterexample counterpoint countries country county coup couple
courage course court cover coverage covered craft crash crazy cream create created creating creative creator
creature credit crew crime criminal crit criteria critic critical critique crop cross crowd crown crunches
cry crying crystals cue cuisine cult cultural culture cup cure currency current currently curse cushion
customer cut cute cutting cycle cycling czech daily damage dame damn dance danger dangerous danish dark
dashboard data database date dating daughter day days dead deadline deal dealing dear death debate debian
debt debuff decades decide decided deck declared decor dedicated default defence defense defined definitely
degree deity delivered delivery demand demo democratic denominator dependency depending deploy deprecated
depth describe described desert deserve design designed desktop despite dessert destroyed detail determine
determined dev develop developed developer device dex diagnostic dialect dialogue diameter diary dice did
die died dies diet difference different difficult difficulty digital dining dinner diplomacy direct directed
directly director disadvantage disco discord discount discovered discuss disease dish dislikes display
distance distinguido district distro diverse django do docker docs does dog dogs doing dollar domestic done
door dose dosha double doubt dough down download draft drama draw drawing dream dress dressing drills drink
drinking drive driver driving drizzle drop dropped drug drummer drums drunk dry dubai dublin dude due duet
during dutch duty dwarf dying dynamics each earlier early earnings earth ease easier easily east eastern
easy eat eating economic economy edge edinburgh edit editing editor educational effect effective effort egg
eggs egregio egypt eight eighth either elected electoral electric eleven elf email emergency emotional
employee employer empty encounter encourage end ended endgame ending endpoint ends enemies enemy energy
engine england enjoy enjoyed enough ensemble ensure enter entered entire entirely entrance entry env
environmental epic episode equal era errand error escape especially essay essential essentially est
established estate estimada estimado estimate estimated eta etc etiquette eu euro europe european evening
event eventually ever every everybody everyone everywhere evidence evil exactly exam example excel excellent
except exchange excited exclusive excuse executive exercise exist existing exit expect expected expenses
expensive experience experienced expert explain explained exports express extended exterior extra extreme
extremely eye eyes fabric face facebook fact factor fail failed failure fair fake fall fallen falling false
fame familiar family famous fans fantastic fantasy faqs far fare farewell farm fashion fast faster fat fate
fats fault fauna favor favorite fear feat feature federal fedora fee feed feedback feel feeling fees feet
fell fellow felt female feminine festival few fiber field fifth fight fighter fighting figure file filename
fill filled fillers filling film filter final finale finally finance financial find finding fine finish
finished finnish fire fired firefox firm first firstly fiscal fish fit five fix fixed fixme flag flair
flashback flask flat flavor flavour flaw flight floor florida flour flow flowers flu fluff fly flying focus
focused folks follow followed following fond font food foot football footer for force forced forecast
foreground foreign forest forever foreword forge forget forgot fork form formal format formed former formula
fort fortnite forum forward found four fourth fox fragrance frame framework france free freedom freelance
french frequency frequently fresh friend friendly from front frontend frosting fruit fry frying fuck fucked
fucking fuel full fully fun fund funding funny furigana furniture further furthermore future fwd gadgets
gain game gameplay gang garden garnish gas gave gay gear geehrte geehrter gem gemini gender general
generally genetics genre gentile geography germany gesture get gets getting giant gift girl girlfriend git
github gitlab give given giving glad glass global glossary glow glutes go goal god goes going golang gold
golden golf gone gonna good google got gotcha gotta governor grade grammar grand granted graph graphics
grave gray great greater greatest greece greek green grew grey grip grob groceries grocery ground group grow
growing grown growth guess guests guide guild guilty guitar guitarist guns gut guys gym habit habitat hack
had haiku hair half hall hallo halt hamburg hand handle handout handy happen happened happening happy hard
harder hardware hart has hate have having hawaii he head header heading headline headquarters health healthy
hear heard hearing heart heat heating heaven heavy hebrew height held hell hello help helped helping
helsinki hence her herbs here heritage hero hers herself hex hey hi hidden hierarchy high higher highest
highlight highly hiking hill him himself hindi hint hip hips hiragana his historical history hit hits hobby
hola hold holding hole holiday holy home homework honest honestly honor hook hopefully hoping horoscope
horror horse hospital host hosting hot hotel hour house household housing how however hp html hub huge humans
humor hundred hungarian hunger hurt husband hygiene hype hypotenuse hypothesis ic ice icing icon id idea
ideal identified identify if iii ill illegal image imagery imagine imho immediately impact import importance
important improve improved in inbox inc include included including inclusive income increase increased
indeed independence independent index india indian individual indonesia industrial industry infinitive
influence info informal infrastructure ingredient init initial initiative injury input ins insert inside
insight inspired instagram install instance instant instead institute insurance int intelligence intended
intent interest interested interface interior interlude intermediate internal international internet
interview into intro introduced inventory involved ios iphone iran iraq ireland irish iron is island issue
issued istanbul it italy item itinerary its itself jail japan jargon java javascript jersey jewish job jobs
jogging join joined joint joke journal journey json judicial juice jump junior jupiter jury just justice
kanji katakana keep keeping kenya kept kernel key keyboard keys kick kid kids kill killed killing kind kinda
kingdom kiss kitchen knead knees knew know knowing knowledge known korea korean kotlin kubernetes kyoto
label labor lack ladies laid lake land landing landmark landscape lane language laptop large largely larger
largest last lastly late later latest latter laugh laughing launch launched law laws lawyer lay layout
layover lead leader leading league learn learned learning least leave leaving lecture led left leftover leg
legacy legal legend legs lemma lender length less lesson let letter level liberal libra library licence
license lie liebe lieber lied life lifestyle light lighting like liked likely likewise limerick limit
limited line link linux lipstick liquid lisbon list listed listen listening lit literal literally literary
literature little live lived living load loadout loan local located lodging log logging logic login logline
logo logs london long longer look looked looking loop loot lore losangeles lose loser losing loss lost lot
lots love loved lovely lover low lower luck lucky luggage lunch lunges lying lyrics mac machine macos macro
mad made madrid magazine magic mail main mainly maintain maintenance make makeup making male mana managed
manager manual many map maps march market marketing marriage married mars mascot masculine mask mass massive
match material math matter maximum may maybe mayor me meal mean meaning meant meantime meanwhile measure
meat mechanic media medical medicine medium meet meeting meetup melbourne member meme memo memories memory
men mental mentioned mentor menu merch mercury merge merits mess message met meta metadata metal metaphor
meter method mexican mexico miami mic microsoft mid middle might military milk million mind minecraft mini
minimum mining minister ministry minor minute missed missing mistake mix mixed mixing mobile mod mode model
moderate moderator modern mods module moisture moment money mongodb monologue monster month montreal mood
moral more moreover morning mortgage moscow most mostly motion motor mountain mouth move moved movie moving
mp much multiple mumbai munich municipal murder muscle museum mushroom music muslim must mvp my myself mysql
mystery myth name named naming naples narrative nation national native natural nature navy near nearly
necessary neck need needed negative neighborhood neither neptune net netflix netherlands network neutral
never new news newsletter newspaper next nginx nice nickname nigeria night nightlife nightmare nine nintendo
ninth no nobody node nodejs noise nominee non none noon nor normal normally north northern norway norwegian
nose not note notebook noted nothing notice noticed notion noun novel now npc npm nsfw nuclear null number
numerator numerous object objective observe obstacle obvious obviously occult occurred ocean oceania odds
ode of off offense offer offered offering office officers official offline often oh oil okay old older olá
on once one ones online only onto ooc open openai opened opener opening opera operating operator opinion
opponent opposite option optional or oral orange order ordered ore origin original originally osaka oslo
other otherwise our ourselves out outcome outdoor outfit outline outlook output outro outside over overall
overtime overview own owned owner pace pacific pack package packaging packing page paid pain paint painter
painting pair pairing pakistan palette pan panel pantry papa paper par paragraph parallel param parameter
parent paris park parking parole parsing part participants particular particularly partner party pass
passage passed passing passive password past pasta paste patch path patience patient patron pattern pause
pay paycheck paying pays peace peak peel peers penalty people percent percentage perfect perfectly perform
performance performed perhaps perimeter period perk perl permanent person personal personally personnel
perspective peru pet pets phase phone phonetic photo photoshop php phrase physical physics piano pick picked
picture pie piece pilot pink pinyin pip pipeline pisces pitch pitfall pizza place placed plain plan plane
planet plank planned planning plant platform plating play played player playing playlist plaza please
pleasure plenty plot plugin plural plus pluto poem poet poetry point poison pokemon poland police policies
policy polish polite political politics poll pool poor pop popular port porter portfolio portugal portuguese
pose positive possibly post posted poster postgres postgresql posture potential potion pour power practical
practice prague praise prayer pre predicate preface prefer prefix pregnant preheat premier premise prepare
prepared prerequisite presence present presented press pressure pretty prevent preview previous previously
prezada prezado price primary prime principal principle print prior prison privacy private prize pro
probably probe problem procedure produce produced product professional profile profit program programme
progress project promise promo promote prompt pronoun proof prop proper properly properties property
proposal propose proposed pros protagonist protect protein protip prototype proud prove proverb provide
provided provider providing province public published publisher pull pulled punchline puns purchase pure
purple purpose push pushup put putting puzzle python quarter querida querido queries query quest quick
quickly quickstart quiet quite quiz quote race radio radius rain raise raised random range ranger rank
ranking rare rarity rat rate rather rating ratio rationale re reach reached react read reader reading ready
real realize realized really realm reason reasoning rebuttal recap receipt receive received receiving recent
recently recipe recipient recommend record recorded recovery red reddit redis reduce reduced reference
referral referred refrain refs refund regard regarding regex regime region regional register regular related
relatively relax release released relevance relevant religion religious remain remained remaining remark
remedies remedy remember reminder remove removed rent repair repeat replace replies reply repo report
reported reporter reporting repository represent representative reps republic republican request require
required research reserve residents resist resistance resource respect respond response rest restaurant
result resume retro return returned reveal revealed revenue reverse review reviewer reward rhyme rhythm rich
riddle ride right ring ringtone rise rising risk ritual rival river road roadmap roblox rock rogue role roll
romaji romance rome room root rough round route routine row rows royal rsvp rule rumor run runner running
runs rural russia russian rust safari safe safety sage sagittarius saint salad salary sale salt salut same
sample sandwich sang sarcasm sat saturn sauce save saved saving saw say saying says scale scared scary
scenario scene schedule schema scheme school science scientific scope score scored scorpio scotland scottish
screen screenplay screenshot script sea search season seasoning seat seattle second secondary secondly
secret secretary sector secure see seeds seeing seek seeking seem seemed seen sees selected self sell seller
selling semester senate senator send sending senior sense sent sentence seoul separate sequel sequence
serious seriously servant serve served server service serving set setlist sets setting setup seven seventh
several severe sex sexual sfx shade shall shanghai shape share shared sharing she shift ship shipping shirt
shit shoes shoot shooting shop shopping short shortcut shot should shoulder shout shoutout show showed
shower showing shown shut sibling sick side sidebar sight sign signal signature signed significance
significant silence silver sim similar similarly simmer simple simplified simply since sincerely singapore
singer singing single singular sit site sitting six sixth size skill skin skip sky slack slang sleep
sleeping slice slides slightly slogan slot slow slowly small smaller smart smell smile smith smoke snack
snow so soap social society socks soft software sold soldiers sole solid solo some somebody someone
something sometimes somewhere son song sonnet soon sorry sort sorting soul sound soundtrack soup source
south southern space spain spanish speak speaker speaking special specialty specific specifically speech
speed spell spelling spend spending spent spettabile spice spirit split spoiler spoke sponsor sport spot
spotify spread spring sprinkle sprints sql sqlite squad square squat stack stadium staff stage stakeholder
stakes stamina stance stand standard standing stanza star stare stark starring start started starter
starting stat state stated statistics status stay steak stealth steam steel stem step stick still stir stock
stockholm stone stood stop stopped storage store storm story storyline str straight strange strategy stream
street strength stress stretch strict strike string strong structure struggle stuck student studio study
stuff stupid style subclass subgenre subject subplot subscribe substitute subtasks subtitle subtotal success
such suddenly suffix sugar suggest suggested suicide suit suite sum summary summer summon sun sunlight super
superior superpower supplier supplies supply support supported suppose supposed supreme sure surface surgery
surname surprise surprised survey survival swap sweden swedish sweet swift swimming switch switzerland sword
symbol synonym synopsis syntax syrup system table tactic tag tags taiwan take takeaway taken taking tale
talent talk talked talking tank target tarot task taste taught taurus tax tea teach teachers teaching team
teaser tech technical technically technique technologies teeth tel telegram tell telling temper temperature
template tempo ten tend tense tenth term terminal terrain territory test testing texas text texture thai
thailand thank that the theatre theft their them theme themselves then theorem theory therapy there
thereafter therefore these thesis they thief thighs thing think thinking third thirdly this those though
thought thousand thread threat three through throughout throw thumbnail thus ticket tie tier tight tiktok
tiles till time timeframe timeline timestamp timing tip tips tired title tldr to toast today todo together
tokens tokyo told toll tomb tomorrow ton tone tonic tonight too took tool toolkit top topic topping toronto
torso total totally touch tough tour toward town toys traceback track trade tradeoff trading traditional
traffic trailer train trained trainer training transcript transfer translator transport trap travel treasure
treat treated tree trend trial tribunal triceps trick tried trigger trip troops trophy trouble truck true
truly trust truth try trying tune tuning turkey turkish turn turned turning tutor tutorial tv twelve twenty
twice twist twitter two type typescript typical typically typing typo uae ubuntu uk ukraine ukrainian
ultimate ultimately um unable under understand understood unfortunately uniform union unique unit united
unity universe unknown unless unlike unlock unreal unrelated until untitled up upcoming update upgrade
upload upon upper upset upside uranus us usa usage use used useful user username uses using usual usually
utensils valley value vancouver vanilla variables variant variety various vegan vegetables vegetarian
vehicle vendor venice vent venue verdict verse versus very via vibe vice victim victory video vienna vietnam
vietnamese view viewer viewpoint villa village villain vinegar violence virgo virtue virus visa vision visit
visitor visual vitamin vocabulary vocal voice voiceover vol volume volunteer vote voted voters voting
voucher voyage vs vue wait waiting waiver wake wales walk walked walking walkthrough wall wallet wallpaper
wanna want wanted war wardrobe warlock warm warmup warning warranty wars warsaw was waste watch watched
watching watchlist water wave way ways we weak weaknesses wealth weapon wear wearing weather web website
wedding week weekend weekly weight weird welcome well welsh went were west western what whatever whatsapp
wheel when whenever where whether which while whisk white who whole whom whose why wide wife wiki wild
wildlife willing win wind window wine wing winner winning wins winter wis wisdom wish with within without
woman women wonder wood word wording work worked workers workflow working workload workout workplace
workshop world worried worries worry worse worst worth would wound wow wrap wrists write writer writing
written wrong wrote xbox xp yard yarn yeah year yeast yellow yes yesterday yet yield yoga york you younger
your yourself youth youtube zero zip zodiac zone zoning zoom zsh zurich zusammenfassend zusammengefasst
"""
