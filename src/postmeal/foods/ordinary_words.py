"""Common English words that do not name a food, such as "charger" and "soap".

A word that does not occur in any food name is usually a misspelled food name, but this is less
likely for the words in this list. The list was written from general knowledge and contains words
for household items, clothes, tools, technology, animals, places, people and money. Words that are
often typed by mistake, such as "flower" for "flour" and "desert" for "dessert", are not included.
"""

from __future__ import annotations

__all__ = ["ORDINARY"]

_TEXT = """
ability about above accent access accident account across act action actor actress actual
address adult advice affair afraid after again against agency agent ago agree aim air airpod
airport alarm album alien alive allow alone along already alway amazing ambulance amount anchor
angel anger angle angry animal ankle answer ant antenna anxiety anybody anyone anything
apartment app appointment area argue arm army around arrive arrow art article artist asleep
asphalt assistant astronaut athlete atla atom attack attic aunt author auto award away axe baby
back backpack bad badge bag bait balance balcony bald ball balloon band bandage bank banner
barber barrel basement bath bathroom bathtub battery battle beach bead beard bed bedding bedroom
before begin behind believe bell belt bench best better bicycle big bike bill bird birth blanket
blazer bleach blind blog blond blood board boat body bolt bomb book bookcase boot border boss
bottom bought boulder bowling boy bracelet brain brake branch brave breath brick bridge
briefcase bright bring brother brush bug build bulb bus business busy button buy cabinet cable
cage calculator calendar call camera camp campus canal candle canva car carpenter carpet
carriage cartoon cartridge case casino castle cat cathedral caution cave ceiling cell cement
center century ceramic ceremony chain chair chalk champion chance change channel chapter
character charge charger charity chat check chemist chess chest child children chimney church
cigar cigarette cinema circle circus city class classroom clay clean cleaner climate clinic
clock close cloth clothe clothing cloud club clutch coach coast coat code coffin coin collar
college color column comb combine comedy comet comfort comic command company compass computer
concert concrete conditioner condom contest contract control cooler copper copy cord corner cost
costume cottage cotton couch country couple court cousin cover cow crane crash crayon crazy
credit crew crib crime crisi crowd crown cruise cry crystal curtain cushion custom customer
cycle dad dagger dam dance danger dark data daughter day dead death debt decade deck deep
deer degree delivery denim dentist deodorant deposit desk detergent device diamond diary
dictionary die diesel digital dinosaur diploma dirt dirty discount disease dish dishwasher disk
diver divorce doctor document dog doll dollar dolphin donkey door doorbell double doubt down
dragon drain drama drawer dream dress drill drive driver drone drug drum dryer duct dust duvet
eagle ear earphone earring earth easel east easy echo edge editor education effect elbow
election electric electricity elephant elevator email emergency empty engine engineer enjoy
envelope eraser error escalator essay estate evening event ever every evidence exam example
exercise exhaust exit expert extra eye eyebrow eyelash fabric face factory fairy faith false
family famous fan far farm farmer fashion fast faucet fax fear feather feeling female fence
ferry festival fever fiction field fight figure film finger finish fire fireplace firework
fishing fix flag flame flash flashlight flat fleece flight floor floss fluid flute fly foam
folder follow foot football forehead forest forever forklift fountain frame freedom freezer
friend frog front fuel full fun funeral fur furnace furniture future gadget galaxy gallery
gamble game garage garbage garden gardener gas gasoline gate gauge gear generator ghost giant
gift girl glass glitter globe glove glue goal goddess gold golf government grandma grandpa graph
grass grave gravel gravity great green ground group guard guess guest guitar gun guy gym gypsum
habit hair haircut hall hallway hammer hammock hand handbag handle handsome hanger happen happy
harbor hardware harp hat hate headband headphone headset health heart heater heaven heavy heel
height helicopter hell helmet help hero hidden high highway hill hinge history hobby hockey hole
holiday home homework honest hook hope horn horror horse hose hospital host hostel hotel hour
house human humor hundred hunter hurry hurt husband ice idea image industry infant ink insect
inside instrument insurance internet invoice ipad iphone iron island jacket jacuzzi jail jean
jet jewel jewelry job join joke journal journey judge jump jungle junk jury kayak keep kennel
kerosene key keyboard keychain kick kid kill kind king kingdom kiss kitchen kite kitten knee
knife knob knot label labor lace ladder lady lake lamp land language laptop large laser
last late laugh laundry law lawn lawyer lazy leader leaf league learn leash leather lecture left
leg legal legend len lesson letter level lever liar library license lid life lifestyle lift
light lighter lightning limit line linen lion lip lipstick liquid list listen litter lizard loan
lobby local lock locker log logic lonely long look loop lorry lose loss lotion loud love lucky
luggage lumber lung machine magazine magic magnet mail makeup male mall man manager map marble
march marker market marriage mascara mask massage mat match material matter mattress maximum
mayor meadow mechanic medal media medicine meeting member membership memory mention message
metal meter microphone microscope middle military million mind mine minute mirror miss missile
mission mistake mobile model modem mom moment money monitor monkey month moon morning mosque
mosquito mother motor motorcycle mountain mouth mouthwash move mover movy mower mud mug museum
music musician mystery nail name napkin narrow nation nature navy near neck necklace needle
neighbor neon nephew nerve nest net network never new newspaper night nobody noise north nose
notebook nothing novel nozzle number nurse nylon oak object ocean office officer old online open
opera orbit orchestra order organ outfit outlet oven over owl owner oxygen padlock page paint
painter painting pajama palace panda panel panic pant paper paperclip parachute parade parent
park parking party passenger passport password past paste path patient pattern pause pavement
pavilion pay payment peaceful pedal pen pencil pendant penny people perfume period permit person
pet petrol pharmacy phone photo photograph piano picture pier pig pillow pilot pin pipe pirate
pistol pixel place plan plane planet plaster plastic platform play player playground pleasure
plenty plug plumber pocket podcast poem poet point poison police polish politic pond pony pool
poor pope porch port portrait postcard poster postman power prayer present president pretty
price pride priest prince princess print printer prison private prize problem professor profile
program project promise prophet protest proud psychology public pump punch puppet puppy purple
purse puzzle pyramid python queen question queue quick quiet quilt quit quiz quote rabbit
raccoon race radar radiator radio raft railway rain rainbow raincoat ramp ranch razor reader
reality reason receipt receiver recipe record red referee remote rent repair reply report rescue
research resort restaurant result revenge rhythm ribbon rich riddle ride rifle right ring river
road robot rock rocket romance roof room root rope router row royal rubber rug rule ruler run
runner sad saddle safe sail sailor salary sale same sand sandal sandpaper satellite saw scale
scanner scarf scene school science scissor scooter score scout scratch scream screen screw
screwdriver script sculpture sea search season seat second secret secretary security senate
sentence servant service sery session shade shadow shampoo shape shaver shed shelf shelter shine
ship shirt shoe shoelace shop shore short shotgun shoulder shovel shower shut sibling sign
signal silence silk silver singer single sink sister size skate sketch ski skin skirt skull sky
skyscraper slave sleep sleeve slide slipper smartphone smartwatch smell smile smoke snake
sneaker snow soap soccer social society sock socket sofa software soil solar soldier solid song
soul sound south space spade spark speaker speech speed spider spike spirit sponge sport
spotlight spray spring squad stadium staff stage stair stamp staple stapler star start state
station statue stay steam steel steering stereo sticker stocking stomach stool stop storage
store storm story stove stranger street stress string stroller student studio study subscription
suburb subway success suit suitcase summer sun sunglass sunscreen sunset surface surgeon surgery
surprise sweater swim swing switch sword symbol system table tablet tail tailor talent talk
tampon tank tape target tattoo tax taxi teacher team technology teen telephone telescope
television temple tenni tent term test textbook theater theory thief thing thread throat throne
thunder ticket tiger tile timber tire tissue title today toe together toilet tomorrow tongue
tool toolbox tooth toothbrush toothpaste top torch tornado towel tower town toy tractor trade
traffic trailer train trainer transport trap trash travel treadmill treasure tree triangle
tripod trophy trouble trouser truck trumpet trunk trust truth tunnel turbine turtle tutor twin
tyre umbrella uncle underwear unicorn uniform union universe university upgrade uranium vacation
vaccine vacuum valley valve van vase vehicle velvet vest video view village violin virus visa
visit visitor voice volcano volume voyage wagon waist wait waiter walk wall wallet wallpaper war
wardrobe warehouse warrior washer waste watch waterfall wave wax weapon weather wedding week
weekend weight welcome west wheel wheelchair whistle wife wifi wig wild wind window windshield
wing winner winter wire wizard wolf woman wood wool word work worker workshop world worm wound
wrench wrist writer xylophone yacht yard year yesterday yoga young youth zebra zero zipper zomby
zone zoo
"""
ORDINARY = frozenset(_TEXT.split())
"""The words, normalized as by `postmeal.foods.words.words`."""
