"""Standard shortcodes: the emoji of Unicode and the names that people, GitHub and Discord have for them.

Names are facts of https://github.com/carpedm20/emoji (GitHub's aliases, Unicode's names) and of Discord's
own picker. The table is read only once somebody asks for a name. Flags are not in it: `flag_de` says it all.
"""

from __future__ import annotations

from functools import cache

__all__ = ["find_standard"]

_FLAG = "flag_"


def find_standard(name: str) -> str | None:
    """The emoji of Unicode that has this name."""
    name = name.lower()
    country = name.removeprefix(_FLAG)
    if name != country and len(country) == 2 and country.isascii() and country.isalpha():
        return "".join(chr(0x1F1E6 + ord(letter) - ord("a")) for letter in country)
    return _by_name().get(name)


@cache
def _by_name() -> dict[str, str]:
    found: dict[str, str] = {}
    emoji = ""
    for word in _TABLE.split():
        if word.isascii() and not word.isspace():
            found[word] = emoji
        else:
            emoji = word
    return found


_TABLE = """
#️⃣ hash keycap_ *️⃣ asterisk 0️⃣ zero keycap_0 1️⃣ one keycap_1 2️⃣ two keycap_2 3️⃣ three
keycap_3 4️⃣ four keycap_4 5️⃣ five keycap_5 6️⃣ six keycap_6 7️⃣ seven keycap_7 8️⃣ eight
keycap_8 9️⃣ nine keycap_9 ©️ copyright ®️ registered ‼️ bangbang double_exclamation_mark ⁉️
interrobang exclamation_question_mark ™️ tm trade_mark ℹ️ information information_source ↔️
left_right_arrow ↕️ arrow_up_down up_down_arrow ↖️ up_left_arrow arrow_upper_left ↗️
up_right_arrow arrow_upper_right ↘️ down_right_arrow arrow_lower_right ↙️ down_left_arrow
arrow_lower_left ↩️ right_arrow_curving_left leftwards_arrow_with_hook ↪️ arrow_right_hook
left_arrow_curving_right ⌚ watch ⌛ hourglass hourglass_done ⌨️ keyboard ⏏️ eject_button
eject_symbol ⏩ fast_forward fast_forward_button ⏪ rewind fast_reverse_button ⏫ fast_up_button
arrow_double_up ⏬ fast_down_button arrow_double_down ⏭️ next_track_button ⏮️ last_track_button
previous_track_button ⏯️ play_or_pause_button ⏰ alarm_clock ⏱️ stopwatch ⏲️ timer_clock ⏳
hourglass_not_done hourglass_flowing_sand ⏸️ pause_button double_vertical_bar ⏹️ stop_button
black_square_for_stop ⏺️ record_button black_circle_for_record Ⓜ️ circled_m ▪️
black_small_square ▫️ white_small_square ▶️ play_button arrow_forward ◀️ arrow_backward
reverse_button ◻️ white_medium_square ◼️ black_medium_square ◽ white_medium_small_square ◾
black_medium_small_square ☀️ sun sunny ☁️ cloud ☂️ umbrella2 open_umbrella ☃️ snowman2
snowman_with_snow ☄️ comet ☎️ phone telephone ☑️ check_box_with_check ballot_box_with_check ☔
umbrella umbrella_with_rain_drops ☕ coffee hot_beverage ☘️ shamrock ☝️ point_up
index_pointing_up ☠️ skull_crossbones skull_and_crossbones ☢️ radioactive radioactive_sign ☣️
biohazard biohazard_sign ☦️ orthodox_cross ☪️ star_and_crescent ☮️ peace_symbol ☯️ yin_yang ☸️
wheel_of_dharma ☹️ frowning2 frowning_face white_frowning_face ☺️ relaxed smiling_face ♀️
female_sign ♂️ male_sign ♈ aries ♉ taurus ♊ gemini ♋ cancer ♌ leo ♍ virgo ♎ libra ♏ scorpio
scorpius ♐ sagittarius ♑ capricorn ♒ aquarius ♓ pisces ♟️ chess_pawn ♠️ spades spade_suit ♣️
clubs club_suit ♥️ hearts heart_suit ♦️ diamonds diamond_suit ♨️ hotsprings hot_springs ♻️
recycle recycling_symbol ♾️ infinity ♿ wheelchair wheelchair_symbol ⚒️ hammer_pick
hammer_and_pick ⚓ anchor ⚔️ crossed_swords ⚕️ medical_symbol ⚖️ scales balance_scale ⚗️
alembic ⚙️ gear ⚛️ atom_symbol ⚜️ fleur_de_lis ⚠️ warning ⚡ zap high_voltage ⚧️
transgender_symbol ⚪ white_circle ⚫ black_circle ⚰️ coffin ⚱️ funeral_urn ⚽ soccer soccer_ball
⚾ baseball ⛄ snowman snowman_without_snow ⛅ partly_sunny sun_behind_cloud ⛈️
thunder_cloud_rain thunder_cloud_and_rain cloud_with_lightning_and_rain ⛎ ophiuchus ⛏️ pick ⛑️
rescue_worker_helmet rescue_workers_helmet helmet_with_white_cross ⛓️ chains ⛔ no_entry ⛩️
shinto_shrine ⛪ church ⛰️ mountain ⛱️ parasol_on_ground umbrella_on_ground ⛲ fountain ⛳ golf
flag_in_hole ⛴️ ferry ⛵ boat sailboat ⛷️ skier ⛸️ ice_skate ⛹️ person_with_ball
bouncing_ball_person person_bouncing_ball ⛹️‍♀️ basketball_woman bouncing_ball_woman ⛹️‍♂️
basketball_man bouncing_ball_man ⛺ tent ⛽ fuelpump fuel_pump ✂️ scissors ✅ white_check_mark
check_mark_button ✈️ airplane ✉️ envelope ✊ fist fist_raised raised_fist ✋ hand raised_hand ✌️
victory_hand ✍️ writing_hand ✏️ pencil2 ✒️ black_nib ✔️ check_mark heavy_check_mark ✖️
multiply heavy_multiplication_x ✝️ latin_cross ✡️ star_of_david ✨ sparkles ✳️
eight_spoked_asterisk ✴️ eight_pointed_star eight_pointed_black_star ❄️ snowflake ❇️ sparkle ❌
x cross_mark ❎ cross_mark_button negative_squared_cross_mark ❓ question red_question_mark ❔
grey_question white_question_mark ❕ grey_exclamation white_exclamation_mark ❗ exclamation
red_exclamation_mark heavy_exclamation_mark ❣️ heart_exclamation heavy_heart_exclamation ❤️
heart red_heart ➕ plus heavy_plus_sign ➖ minus heavy_minus_sign ➗ divide heavy_division_sign
➡️ arrow_right right_arrow ➰ curly_loop ➿ loop double_curly_loop ⤴️ arrow_heading_up
right_arrow_curving_up ⤵️ arrow_heading_down right_arrow_curving_down ⬅️ arrow_left left_arrow
⬆️ arrow_up up_arrow ⬇️ arrow_down down_arrow ⬛ black_large_square ⬜ white_large_square ⭐ star
⭕ hollow_red_circle 〰️ wavy_dash 〽️ part_alternation_mark ㊗️ congratulations
japanese_congratulations_button ㊙️ secret japanese_secret_button 🀄 mahjong mahjong_red_dragon
🃏 joker black_joker 🅰️ a_button_blood_type 🅱️ b_button_blood_type 🅾️ o2 o_button_blood_type 🅿️
parking p_button 🆎 ab ab_button_blood_type 🆑 cl cl_button 🆒 cool cool_button 🆓 free
free_button 🆔 id id_button 🆕 new new_button 🆖 ng ng_button 🆗 ok ok_button 🆘 sos sos_button 🆙
up up_button 🆚 vs vs_button 🈁 koko japanese_here_button 🈂️ sa japanese_service_charge_button 🈚
u7121 japanese_free_of_charge_button 🈯 u6307 japanese_reserved_button 🈲 u7981
japanese_prohibited_button 🈳 u7a7a japanese_vacancy_button 🈴 u5408
japanese_passing_grade_button 🈵 u6e80 japanese_no_vacancy_button 🈶 u6709 🈷️ u6708
japanese_monthly_amount_button 🈸 u7533 japanese_application_button 🈹 u5272
japanese_discount_button 🈺 u55b6 🉐 ideograph_advantage japanese_bargain_button 🉑 accept
japanese_acceptable_button 🌀 cyclone 🌁 foggy 🌂 closed_umbrella 🌃 night_with_stars 🌄
sunrise_over_mountains 🌅 sunrise 🌆 city_sunset cityscape_at_dusk 🌇 sunset city_sunrise 🌈
rainbow 🌉 bridge_at_night 🌊 ocean water_wave 🌋 volcano 🌌 milky_way 🌍 earth_africa
globe_showing_europe_africa 🌎 earth_americas globe_showing_americas 🌏 earth_asia
globe_showing_asia_australia 🌐 globe_with_meridians 🌑 new_moon 🌒 waxing_crescent_moon 🌓
first_quarter_moon 🌔 moon waxing_gibbous_moon 🌕 full_moon 🌖 waning_gibbous_moon 🌗
last_quarter_moon 🌘 waning_crescent_moon 🌙 crescent_moon 🌚 new_moon_face new_moon_with_face 🌛
first_quarter_moon_face first_quarter_moon_with_face 🌜 last_quarter_moon_face
last_quarter_moon_with_face 🌝 full_moon_face full_moon_with_face 🌞 sun_with_face 🌟 star2
glowing_star 🌠 stars shooting_star 🌡️ thermometer 🌤️ white_sun_small_cloud
sun_behind_small_cloud white_sun_with_small_cloud 🌥️ sun_behind_large_cloud
white_sun_behind_cloud 🌦️ sun_behind_rain_cloud white_sun_behind_cloud_with_rain 🌧️ cloud_rain
cloud_with_rain 🌨️ cloud_snow cloud_with_snow 🌩️ cloud_lightning cloud_with_lightning 🌪️
tornado cloud_tornado cloud_with_tornado 🌫️ fog 🌬️ wind_face wind_blowing_face 🌭 hotdog
hot_dog 🌮 taco 🌯 burrito 🌰 chestnut 🌱 seedling 🌲 evergreen_tree 🌳 deciduous_tree 🌴 palm_tree 🌵
cactus 🌶️ hot_pepper 🌷 tulip 🌸 cherry_blossom 🌹 rose 🌺 hibiscus 🌻 sunflower 🌼 blossom 🌽 corn
ear_of_corn 🌾 ear_of_rice sheaf_of_rice 🌿 herb 🍀 four_leaf_clover 🍁 maple_leaf 🍂 fallen_leaf 🍃
leaves leaf_fluttering_in_wind 🍄 mushroom 🍅 tomato 🍆 eggplant 🍇 grapes 🍈 melon 🍉 watermelon 🍊
orange mandarin tangerine 🍋 lemon 🍌 banana 🍍 pineapple 🍎 apple red_apple 🍏 green_apple 🍐 pear
🍑 peach 🍒 cherries 🍓 strawberry 🍔 hamburger 🍕 pizza 🍖 meat_on_bone 🍗 poultry_leg 🍘
rice_cracker 🍙 rice_ball 🍚 rice cooked_rice 🍛 curry curry_rice 🍜 ramen steaming_bowl 🍝
spaghetti 🍞 bread 🍟 fries french_fries 🍠 sweet_potato roasted_sweet_potato 🍡 dango 🍢 oden 🍣
sushi 🍤 fried_shrimp 🍥 fish_cake fish_cake_with_swirl 🍦 icecream soft_ice_cream 🍧 shaved_ice 🍨
ice_cream 🍩 doughnut 🍪 cookie 🍫 chocolate_bar 🍬 candy 🍭 lollipop 🍮 custard 🍯 honey_pot 🍰 cake
shortcake 🍱 bento bento_box 🍲 stew pot_of_food 🍳 egg cooking fried_egg 🍴 fork_and_knife 🍵 tea
teacup_without_handle 🍶 sake 🍷 wine_glass 🍸 cocktail cocktail_glass 🍹 tropical_drink 🍺 beer
beer_mug 🍻 beers clinking_beer_mugs 🍼 baby_bottle 🍽️ knife_fork_plate plate_with_cutlery
fork_and_knife_with_plate 🍾 champagne bottle_with_popping_cork 🍿 popcorn 🎀 ribbon 🎁 gift
wrapped_gift 🎂 birthday birthday_cake 🎃 jack_o_lantern 🎄 christmas_tree 🎅 santa santa_claus 🎆
fireworks 🎇 sparkler 🎈 balloon 🎉 tada party_popper 🎊 confetti_ball 🎋 tanabata_tree 🎌
crossed_flags 🎍 bamboo pine_decoration 🎎 dolls japanese_dolls 🎏 flags carp_streamer 🎐
wind_chime 🎑 rice_scene moon_viewing_ceremony 🎒 backpack school_satchel 🎓 mortar_board
graduation_cap 🎖️ medal_military military_medal 🎗️ reminder_ribbon 🎙️ studio_microphone 🎚️
level_slider 🎛️ control_knobs 🎞️ film_strip film_frames 🎟️ tickets admission_tickets 🎠
carousel_horse 🎡 ferris_wheel 🎢 roller_coaster 🎣 fishing_pole fishing_pole_and_fish 🎤
microphone 🎥 movie_camera 🎦 cinema 🎧 headphone headphones 🎨 art artist_palette 🎩 tophat
top_hat 🎪 circus_tent 🎫 ticket 🎬 clapper clapper_board 🎭 performing_arts 🎮 video_game 🎯 dart
bullseye 🎰 slot_machine 🎱 8ball pool_8_ball 🎲 game_die 🎳 bowling 🎴 flower_playing_cards 🎵
musical_note 🎶 notes musical_notes 🎷 saxophone 🎸 guitar 🎹 musical_keyboard 🎺 trumpet 🎻 violin
🎼 musical_score 🎽 running_shirt running_shirt_with_sash 🎾 tennis 🎿 ski skis 🏀 basketball 🏁
checkered_flag chequered_flag 🏂 snowboarder 🏃 runner running person_running 🏃‍♀️ running_woman
🏃‍♂️ running_man 🏄 surfer person_surfing 🏄‍♀️ surfing_woman 🏄‍♂️ surfing_man 🏅 medal
medal_sports sports_medal 🏆 trophy 🏇 horse_racing 🏈 football american_football 🏉
rugby_football 🏊 swimmer person_swimming 🏊‍♀️ swimming_woman 🏊‍♂️ swimming_man 🏋️
weight_lifter weight_lifting person_lifting_weights 🏋️‍♀️ weight_lifting_woman 🏋️‍♂️
weight_lifting_man 🏌️ golfer golfing person_golfing 🏌️‍♀️ golfing_woman 🏌️‍♂️ golfing_man 🏍️
motorcycle racing_motorcycle 🏎️ racing_car 🏏 cricket_game cricket_bat_and_ball 🏐 volleyball 🏑
field_hockey field_hockey_stick_and_ball 🏒 ice_hockey ice_hockey_stick_and_puck 🏓 ping_pong
table_tennis_paddle_and_ball 🏔️ mountain_snow snow_capped_mountain 🏕️ camping 🏖️
beach_umbrella beach_with_umbrella 🏗️ building_construction 🏘️ houses house_buildings 🏙️
cityscape 🏚️ derelict_house derelict_house_building 🏛️ classical_building 🏜️ desert 🏝️
desert_island 🏞️ national_park 🏟️ stadium 🏠 house 🏡 house_with_garden 🏢 office office_building
🏣 post_office japanese_post_office 🏤 european_post_office 🏥 hospital 🏦 bank 🏧 atm atm_sign 🏨
hotel 🏩 love_hotel 🏪 convenience_store 🏫 school 🏬 department_store 🏭 factory 🏮 lantern
izakaya_lantern red_paper_lantern 🏯 japanese_castle 🏰 castle european_castle 🏳️ white_flag
waving_white_flag 🏳️‍🌈 rainbow_flag 🏴 black_flag waving_black_flag 🏴‍☠️ pirate_flag 🏴󠁧󠁢󠁥󠁮󠁧󠁿
england 🏴󠁧󠁢󠁳󠁣󠁴󠁿 scotland 🏴󠁧󠁢󠁷󠁬󠁳󠁿 wales 🏵️ rosette 🏷️ label 🏸 badminton 🏹 bow_and_arrow 🏺
amphora 🐀 rat 🐁 mouse2 🐂 ox 🐃 water_buffalo 🐄 cow2 🐅 tiger2 🐆 leopard 🐇 rabbit2 🐈 cat2 🐉
dragon 🐊 crocodile 🐋 whale2 🐌 snail 🐍 snake 🐎 racehorse 🐏 ram 🐐 goat 🐑 ewe sheep 🐒 monkey 🐓
rooster 🐔 chicken 🐕 dog2 🐖 pig2 🐗 boar 🐘 elephant 🐙 octopus 🐚 shell spiral_shell 🐛 bug 🐜 ant 🐝
bee honeybee 🐞 beetle lady_beetle 🐟 fish 🐠 tropical_fish 🐡 blowfish 🐢 turtle 🐣 hatching_chick
🐤 baby_chick 🐥 hatched_chick front_facing_baby_chick 🐦 bird 🐦‍⬛ crow rook raven 🐧 penguin 🐨
koala 🐩 poodle 🐪 dromedary_camel 🐫 camel two_hump_camel 🐬 dolphin flipper 🐭 mouse mouse_face 🐮
cow cow_face 🐯 tiger tiger_face 🐰 rabbit rabbit_face 🐱 cat cat_face 🐲 dragon_face 🐳 whale
spouting_whale 🐴 horse horse_face 🐵 monkey_face 🐶 dog dog_face 🐷 pig pig_face 🐸 frog 🐹 hamster
🐺 wolf 🐻 bear 🐼 panda panda_face 🐽 pig_nose 🐾 feet paw_prints 🐿️ chipmunk 👀 eyes 👁️ eye 👁️‍🗨️
eye_speech_bubble 👂 ear 👃 nose 👄 lips mouth 👅 tongue 👆 point_up_2 backhand_index_pointing_up 👇
point_down backhand_index_pointing_down 👈 point_left backhand_index_pointing_left 👉
point_right backhand_index_pointing_right 👊 punch facepunch fist_oncoming oncoming_fist 👋 wave
waving_hand 👌 ok_hand 👍 +1 thumbup thumbsup thumbs_up 👎 -1 _1 thumbdown thumbsdown 👏 clap
clapping_hands 👐 open_hands 👑 crown 👒 womans_hat 👓 glasses eyeglasses 👔 necktie 👕 shirt tshirt
t_shirt 👖 jeans 👗 dress 👘 kimono 👙 bikini 👚 womans_clothes 👛 purse 👜 handbag 👝 pouch
clutch_bag 👞 shoe mans_shoe 👟 running_shoe athletic_shoe 👠 high_heel high_heeled_shoe 👡 sandal
womans_sandal 👢 boot womans_boot 👣 footprints 👤 bust_in_silhouette 👥 busts_in_silhouette 👦 boy
👧 girl 👨 man 👨‍❤️‍💋‍👨 couplekiss_man_man 👨‍🦯 man_with_probing_cane 👨‍🦰 red_haired_man 👨‍🦱
curly_haired_man 👨‍🦲 bald_man 👨‍🦳 white_haired_man 👩 woman 👩‍❤️‍💋‍👨 couplekiss_man_woman
👩‍❤️‍💋‍👩 couplekiss_woman_woman 👩‍🦯 woman_with_probing_cane 👩‍🦰 red_haired_woman 👩‍🦱
curly_haired_woman 👩‍🦲 bald_woman 👩‍🦳 white_haired_woman 👪 family 👫 couple
woman_and_man_holding_hands 👬 men_holding_hands two_men_holding_hands 👭 women_holding_hands
two_women_holding_hands 👮 cop police_officer 👮‍♀️ policewoman 👮‍♂️ policeman 👯 dancers
people_with_bunny_ears 👯‍♀️ dancing_women 👯‍♂️ dancing_men 👰 person_with_veil 👰‍♀️
bride_with_veil 👱 person_blond_hair blond_haired_person person_with_blond_hair 👱‍♀️
blonde_woman blond_haired_woman 👱‍♂️ blond_haired_man 👲 man_with_gua_pi_mao
person_with_skullcap 👳 person_with_turban person_wearing_turban 👳‍♀️ woman_with_turban 👳‍♂️
man_with_turban 👴 old_man older_man 👵 old_woman older_woman 👶 baby 👷 construction_worker 👷‍♀️
construction_worker_woman 👷‍♂️ construction_worker_man 👸 princess 👹 ogre japanese_ogre 👺
goblin japanese_goblin 👻 ghost 👼 angel baby_angel 👽 alien 👾 alien_monster space_invader 👿 imp
angry_face_with_horns 💀 skull 💁 person_tipping_hand tipping_hand_person
information_desk_person 💁‍♀️ sassy_woman tipping_hand_woman 💁‍♂️ sassy_man tipping_hand_man 💂
guard 💂‍♀️ guardswoman 💂‍♂️ guardsman 💃 dancer woman_dancing 💄 lipstick 💅 nail_care
nail_polish 💆 massage person_getting_massage 💆‍♀️ massage_woman 💆‍♂️ massage_man 💇 haircut
person_getting_haircut 💇‍♀️ haircut_woman 💇‍♂️ haircut_man 💈 barber barber_pole 💉 syringe 💊
pill 💋 kiss kiss_mark 💌 love_letter 💍 ring 💎 gem gem_stone 💏 couplekiss 💐 bouquet 💑
couple_with_heart 💒 wedding 💓 heartbeat beating_heart 💔 broken_heart 💕 two_hearts 💖
sparkling_heart 💗 heartpulse growing_heart 💘 cupid heart_with_arrow 💙 blue_heart 💚 green_heart
💛 yellow_heart 💜 purple_heart 💝 gift_heart heart_with_ribbon 💞 revolving_hearts 💟
heart_decoration 💠 diamond_with_a_dot diamond_shape_with_a_dot_inside 💡 bulb light_bulb 💢
anger anger_symbol 💣 bomb 💤 zzz 💥 boom collision 💦 sweat_drops sweat_droplets 💧 droplet 💨 dash
dashing_away 💩 poop shit hankey pile_of_poo 💪 muscle flexed_biceps 💫 dizzy 💬 speech_balloon 💭
thought_balloon 💮 white_flower 💯 100 hundred_points 💰 moneybag money_bag 💱 currency_exchange 💲
heavy_dollar_sign 💳 credit_card 💴 yen yen_banknote 💵 dollar dollar_banknote 💶 euro
euro_banknote 💷 pound pound_banknote 💸 money_with_wings 💹 chart chart_increasing_with_yen 💺
seat 💻 laptop computer 💼 briefcase 💽 minidisc computer_disk 💾 floppy_disk 💿 cd optical_disk 📀
dvd 📁 file_folder 📂 open_file_folder 📃 page_with_curl 📄 page_facing_up 📅 date 📆 calendar
tear_off_calendar 📇 card_index 📈 chart_increasing chart_with_upwards_trend 📉 chart_decreasing
chart_with_downwards_trend 📊 bar_chart 📋 clipboard 📌 pushpin 📍 round_pushpin 📎 paperclip 📏
straight_ruler 📐 triangular_ruler 📑 bookmark_tabs 📒 ledger 📓 notebook 📔
notebook_with_decorative_cover 📕 closed_book 📖 book open_book 📗 green_book 📘 blue_book 📙
orange_book 📚 books 📛 name_badge 📜 scroll 📝 memo pencil 📞 telephone_receiver 📟 pager 📠 fax
fax_machine 📡 satellite satellite_antenna 📢 loudspeaker 📣 mega megaphone 📤 outbox_tray 📥
inbox_tray 📦 package 📧 email e_mail 📨 incoming_envelope 📩 envelope_with_arrow 📪 mailbox_closed
closed_mailbox_with_lowered_flag 📫 mailbox closed_mailbox_with_raised_flag 📬 mailbox_with_mail
open_mailbox_with_raised_flag 📭 mailbox_with_no_mail open_mailbox_with_lowered_flag 📮 postbox
📯 postal_horn 📰 newspaper 📱 iphone mobile_phone 📲 calling mobile_phone_with_arrow 📳
vibration_mode 📴 mobile_phone_off 📵 no_mobile_phones 📶 antenna_bars signal_strength 📷 camera 📸
camera_flash camera_with_flash 📹 video_camera 📺 tv television 📻 radio 📼 vhs videocassette 📽️
film_projector 📿 prayer_beads 🔀 shuffle_tracks_button twisted_rightwards_arrows 🔁 repeat
repeat_button 🔂 repeat_one repeat_single_button 🔃 arrows_clockwise clockwise_vertical_arrows 🔄
arrows_counterclockwise counterclockwise_arrows_button 🔅 dim_button low_brightness 🔆
bright_button high_brightness 🔇 mute muted_speaker 🔈 speaker speaker_low_volume 🔉 sound
speaker_medium_volume 🔊 loud_sound speaker_high_volume 🔋 battery 🔌 electric_plug 🔍 mag
magnifying_glass_tilted_left 🔎 mag_right magnifying_glass_tilted_right 🔏 locked_with_pen
lock_with_ink_pen 🔐 locked_with_key closed_lock_with_key 🔑 key 🔒 lock locked 🔓 unlock unlocked
🔔 bell 🔕 no_bell bell_with_slash 🔖 bookmark 🔗 link 🔘 radio_button 🔙 back back_arrow 🔚 end
end_arrow 🔛 on on_arrow 🔜 soon soon_arrow 🔝 top top_arrow 🔞 underage no_one_under_eighteen 🔟
ten keycap_10 keycap_ten 🔠 capital_abcd input_latin_uppercase 🔡 abcd input_latin_lowercase 🔢
1234 input_numbers 🔣 symbols input_symbols 🔤 abc input_latin_letters 🔥 fire 🔦 flashlight 🔧
wrench 🔨 hammer 🔩 nut_and_bolt 🔪 hocho knife kitchen_knife 🔫 gun water_pistol 🔬 microscope 🔭
telescope 🔮 crystal_ball 🔯 six_pointed_star dotted_six_pointed_star 🔰 beginner
japanese_symbol_for_beginner 🔱 trident trident_emblem 🔲 black_square_button 🔳
white_square_button 🔴 red_circle 🔵 blue_circle large_blue_circle 🔶 large_orange_diamond 🔷
large_blue_diamond 🔸 small_orange_diamond 🔹 small_blue_diamond 🔺 small_red_triangle
red_triangle_pointed_up 🔻 small_red_triangle_down red_triangle_pointed_down 🔼 arrow_up_small
upwards_button 🔽 arrow_down_small downwards_button 🕉️ om om_symbol 🕊️ dove dove_of_peace 🕋
kaaba 🕌 mosque 🕍 synagogue 🕎 menorah menorah_with_nine_branches 🕐 clock1 one_oclock 🕑 clock2
two_oclock 🕒 clock3 three_oclock 🕓 clock4 four_oclock 🕔 clock5 five_oclock 🕕 clock6 six_oclock
🕖 clock7 seven_oclock 🕗 clock8 eight_oclock 🕘 clock9 nine_oclock 🕙 clock10 ten_oclock 🕚
clock11 eleven_oclock 🕛 clock12 twelve_oclock 🕜 clock130 one_thirty 🕝 clock230 two_thirty 🕞
clock330 three_thirty 🕟 clock430 four_thirty 🕠 clock530 five_thirty 🕡 clock630 six_thirty 🕢
clock730 seven_thirty 🕣 clock830 eight_thirty 🕤 clock930 nine_thirty 🕥 clock1030 ten_thirty 🕦
clock1130 eleven_thirty 🕧 clock1230 twelve_thirty 🕯️ candle 🕰️ mantelpiece_clock 🕳️ hole 🕴️
levitate business_suit_levitating person_in_suit_levitating man_in_business_suit_levitating 🕵️
spy detective sleuth_or_spy 🕵️‍♀️ female_detective 🕵️‍♂️ male_detective 🕶️ dark_sunglasses 🕷️
spider 🕸️ spider_web 🕹️ joystick 🕺 man_dancing 🖇️ paperclips linked_paperclips 🖊️ pen
pen_ballpoint lower_left_ballpoint_pen 🖋️ fountain_pen lower_left_fountain_pen 🖌️ paintbrush
lower_left_paintbrush 🖍️ crayon lower_left_crayon 🖐️ hand_with_fingers_splayed
raised_hand_with_fingers_splayed 🖕 fu middle_finger 🖖 vulcan vulcan_salute 🖤 black_heart 🖥️
desktop desktop_computer 🖨️ printer 🖱️ computer_mouse mouse_three_button three_button_mouse 🖲️
trackball 🖼️ framed_picture frame_with_picture 🗂️ dividers card_index_dividers 🗃️
card_file_box 🗄️ file_cabinet 🗑️ wastebasket 🗒️ notepad_spiral spiral_notepad spiral_note_pad
🗓️ calendar_spiral spiral_calendar spiral_calendar_pad 🗜️ clamp compression 🗝️ key2 old_key 🗞️
newspaper_roll rolled_up_newspaper 🗡️ dagger dagger_knife 🗣️ speaking_head
speaking_head_in_silhouette 🗨️ speech_left left_speech_bubble 🗯️ anger_right
right_anger_bubble 🗳️ ballot_box ballot_box_with_ballot 🗺️ world_map 🗻 mount_fuji 🗼
tokyo_tower 🗽 statue_of_liberty 🗾 japan map_of_japan 🗿 moai moyai 😀 grinning grinning_face 😁
grin beaming_face_with_smiling_eyes 😂 joy face_with_tears_of_joy 😃 smiley
grinning_face_with_big_eyes 😄 smile grinning_face_with_smiling_eyes 😅 sweat_smile
grinning_face_with_sweat 😆 laughing satisfied grinning_squinting_face 😇 innocent
smiling_face_with_halo 😈 smiling_imp smiling_face_with_horns 😉 wink winking_face 😊 blush
smiling_face_with_smiling_eyes 😋 yum face_savoring_food 😌 relieved relieved_face 😍 heart_eyes
smiling_face_with_heart_eyes 😎 sunglasses smiling_face_with_sunglasses 😏 smirk smirking_face 😐
neutral_face 😑 expressionless expressionless_face 😒 unamused unamused_face 😓 sweat
downcast_face_with_sweat 😔 pensive pensive_face 😕 confused confused_face 😖 confounded
confounded_face 😗 kissing kissing_face 😘 kissing_heart face_blowing_a_kiss 😙
kissing_smiling_eyes kissing_face_with_smiling_eyes 😚 kissing_closed_eyes
kissing_face_with_closed_eyes 😛 face_with_tongue stuck_out_tongue 😜 winking_face_with_tongue
stuck_out_tongue_winking_eye 😝 squinting_face_with_tongue stuck_out_tongue_closed_eyes 😞
disappointed disappointed_face 😟 worried worried_face 😠 angry angry_face 😡 pout rage
enraged_face 😢 cry crying_face 😣 persevere persevering_face 😤 triumph
face_with_steam_from_nose 😥 disappointed_relieved sad_but_relieved_face 😦 frowning
frowning_face_with_open_mouth 😧 anguished anguished_face 😨 fearful fearful_face 😩 weary
weary_face 😪 sleepy sleepy_face 😫 tired_face 😬 grimacing grimacing_face 😭 sob
loudly_crying_face 😮 open_mouth face_with_open_mouth 😯 hushed hushed_face 😰 cold_sweat
anxious_face_with_sweat 😱 scream face_screaming_in_fear 😲 astonished astonished_face 😳 flushed
flushed_face 😴 sleeping sleeping_face 😵 dizzy_face knocked_out_face face_with_crossed_out_eyes
😶 no_mouth face_without_mouth 😷 mask face_with_medical_mask 😸 smile_cat
grinning_cat_with_smiling_eyes 😹 joy_cat cat_with_tears_of_joy 😺 smiley_cat grinning_cat 😻
heart_eyes_cat smiling_cat_with_heart_eyes 😼 smirk_cat cat_with_wry_smile 😽 kissing_cat 😾
pouting_cat 😿 crying_cat crying_cat_face 🙀 weary_cat scream_cat 🙁 slight_frown
slightly_frowning_face 🙂 slight_smile slightly_smiling_face 🙃 upside_down upside_down_face 🙄
roll_eyes rolling_eyes face_with_rolling_eyes 🙅 no_good person_gesturing_no 🙅‍♀️ ng_woman
no_good_woman woman_gesturing_no 🙅‍♂️ ng_man no_good_man man_gesturing_no 🙆 ok_person
person_gesturing_ok 🙆‍♀️ ok_woman woman_gesturing_ok 🙆‍♂️ ok_man man_gesturing_ok 🙇 bow
person_bowing 🙇‍♀️ bowing_woman 🙇‍♂️ bowing_man 🙈 see_no_evil see_no_evil_monkey 🙉
hear_no_evil hear_no_evil_monkey 🙊 speak_no_evil speak_no_evil_monkey 🙋 raising_hand
person_raising_hand 🙋‍♀️ raising_hand_woman 🙋‍♂️ raising_hand_man 🙌 raised_hands raising_hands
🙍 frowning_person person_frowning 🙍‍♀️ frowning_woman 🙍‍♂️ frowning_man 🙎 pouting_face
person_pouting person_with_pouting_face 🙎‍♀️ pouting_woman 🙎‍♂️ pouting_man 🙏 pray
folded_hands 🚀 rocket 🚁 helicopter 🚂 locomotive steam_locomotive 🚃 railway_car 🚄
bullettrain_side high_speed_train 🚅 bullet_train bullettrain_front 🚆 train2 🚇 metro 🚈
light_rail 🚉 station 🚊 tram 🚋 train tram_car 🚌 bus 🚍 oncoming_bus 🚎 trolleybus 🚏 busstop
bus_stop 🚐 minibus 🚑 ambulance 🚒 fire_engine 🚓 police_car 🚔 oncoming_police_car 🚕 taxi 🚖
oncoming_taxi 🚗 car red_car automobile 🚘 oncoming_automobile 🚙 blue_car sport_utility_vehicle
🚚 truck delivery_truck 🚛 articulated_lorry 🚜 tractor 🚝 monorail 🚞 mountain_railway 🚟
suspension_railway 🚠 mountain_cableway 🚡 aerial_tramway 🚢 ship 🚣 rowboat person_rowing_boat
🚣‍♀️ rowing_woman 🚣‍♂️ rowing_man 🚤 speedboat 🚥 traffic_light horizontal_traffic_light 🚦
vertical_traffic_light 🚧 construction 🚨 rotating_light police_car_light 🚩 triangular_flag
triangular_flag_on_post 🚪 door 🚫 prohibited no_entry_sign 🚬 smoking cigarette 🚭 no_smoking 🚮
litter_in_bin_sign put_litter_in_its_place 🚯 no_littering do_not_litter 🚰 potable_water 🚱
non_potable_water 🚲 bike bicycle 🚳 no_bicycles 🚴 bicyclist person_biking 🚴‍♀️ biking_woman
🚴‍♂️ biking_man 🚵 mountain_bicyclist person_mountain_biking 🚵‍♀️ mountain_biking_woman 🚵‍♂️
mountain_biking_man 🚶 walking person_walking 🚶‍♀️ walking_woman 🚶‍♂️ walking_man 🚷
no_pedestrians 🚸 children_crossing 🚹 mens mens_room 🚺 womens womens_room 🚻 restroom 🚼
baby_symbol 🚽 toilet 🚾 wc water_closet 🚿 shower 🛀 bath person_taking_bath 🛁 bathtub 🛂
passport_control 🛃 customs 🛄 baggage_claim 🛅 left_luggage 🛋️ couch couch_and_lamp 🛌
sleeping_bed person_in_bed sleeping_accommodation 🛍️ shopping shopping_bags 🛎️ bellhop_bell 🛏️
bed 🛐 place_of_worship 🛑 stop_sign 🛒 shopping_cart 🛕 hindu_temple 🛖 hut 🛗 elevator 🛘 landslide
🛙 lighthouse 🛜 wireless 🛝 playground_slide 🛞 wheel 🛟 ring_buoy 🛠️ tools hammer_and_wrench 🛡️
shield 🛢️ oil_drum 🛣️ motorway 🛤️ railway_track 🛥️ motor_boat 🛩️ small_airplane 🛫
flight_departure airplane_departure 🛬 flight_arrival airplane_arrival airplane_arriving 🛰️
artificial_satellite 🛳️ passenger_ship 🛴 kick_scooter 🛵 motor_scooter 🛶 canoe 🛷 sled 🛸
flying_saucer 🛹 skateboard 🛺 auto_rickshaw 🛻 pickup_truck 🛼 roller_skate 🟠 orange_circle 🟡
yellow_circle 🟢 green_circle 🟣 purple_circle 🟤 brown_circle 🟥 red_square 🟦 blue_square 🟧
orange_square 🟨 yellow_square 🟩 green_square 🟪 purple_square 🟫 brown_square 🟰
heavy_equals_sign 🤌 pinched_fingers 🤍 white_heart 🤎 brown_heart 🤏 pinching_hand 🤐 zipper_mouth
zipper_mouth_face 🤑 money_mouth money_mouth_face 🤒 thermometer_face face_with_thermometer 🤓
nerd nerd_face 🤔 thinking thinking_face 🤕 head_bandage face_with_head_bandage 🤖 robot
robot_face 🤗 hugs hugging hugging_face smiling_face_with_open_hands 🤘 metal sign_of_the_horns
🤙 call_me call_me_hand 🤚 raised_back_of_hand 🤛 fist_left left_facing_fist 🤜 fist_right
right_facing_fist 🤝 handshake 🤞 crossed_fingers fingers_crossed 🤟 love_you_gesture 🤠 cowboy
cowboy_hat_face 🤡 clown clown_face 🤢 nauseated_face 🤣 rofl rolling_on_the_floor_laughing 🤤
drooling_face 🤥 lying_face 🤦 facepalm person_facepalming 🤧 sneezing_face 🤨 raised_eyebrow
face_with_raised_eyebrow 🤩 star_struck 🤪 zany_face 🤫 shushing_face 🤬 cursing_face
face_with_symbols_on_mouth 🤭 hand_over_mouth face_with_hand_over_mouth 🤮 face_vomiting
vomiting_face 🤯 exploding_head 🤰 pregnant_woman 🤱 breast_feeding 🤲 palms_up_together 🤳 selfie
🤴 prince 🤵 person_in_tuxedo 🤶 mrs_claus 🤷 shrug person_shrugging 🤷‍♀️ woman_shrugging 🤷‍♂️
man_shrugging 🤸 cartwheeling person_cartwheeling 🤹 juggling_person person_juggling 🤺
person_fencing 🤼 wrestling people_wrestling 🤽 water_polo person_playing_water_polo 🤾
handball_person person_playing_handball 🤿 diving_mask 🥀 wilted_flower 🥁 drum 🥂 champagne_glass
clinking_glasses 🥃 tumbler_glass 🥄 spoon 🥅 goal_net 🥇 first_place 1st_place_medal 🥈
second_place 2nd_place_medal 🥉 third_place 3rd_place_medal 🥊 boxing_glove 🥋
martial_arts_uniform 🥌 curling_stone 🥍 lacrosse 🥎 softball 🥏 flying_disc 🥐 croissant 🥑 avocado
🥒 cucumber 🥓 bacon 🥔 potato 🥕 carrot 🥖 baguette_bread 🥗 green_salad 🥘 shallow_pan_of_food 🥙
stuffed_flatbread 🥚 egg2 🥛 milk_glass glass_of_milk 🥜 peanuts 🥝 kiwi_fruit 🥞 pancakes 🥟
dumpling 🥠 fortune_cookie 🥡 takeout_box 🥢 chopsticks 🥣 bowl_with_spoon 🥤 cup_with_straw 🥥
coconut 🥦 broccoli 🥧 pie 🥨 pretzel 🥩 cut_of_meat 🥪 sandwich 🥫 canned_food 🥬 leafy_green 🥭
mango 🥮 moon_cake 🥯 bagel 🥰 smiling_face_with_hearts smiling_face_with_3_hearts
smiling_face_with_three_hearts 🥱 yawning_face 🥲 smiling_face_with_tear 🥳 partying_face 🥴
woozy_face 🥵 hot_face 🥶 cold_face 🥷 ninja 🥸 disguised_face 🥹 face_holding_back_tears 🥺
pleading_face 🥻 sari 🥼 lab_coat 🥽 goggles 🥾 hiking_boot 🥿 flat_shoe 🦀 crab 🦁 lion lion_face 🦂
scorpion 🦃 turkey 🦄 unicorn unicorn_face 🦅 eagle 🦆 duck 🦇 bat 🦈 shark 🦉 owl 🦊 fox fox_face 🦋
butterfly 🦌 deer 🦍 gorilla harambe 🦎 lizard 🦏 rhinoceros 🦐 shrimp 🦑 squid 🦒 giraffe 🦓 zebra 🦔
hedgehog 🦕 sauropod 🦖 t_rex 🦗 cricket 🦘 kangaroo 🦙 llama 🦚 peacock 🦛 hippopotamus 🦜 parrot 🦝
raccoon 🦞 lobster 🦟 mosquito 🦠 microbe 🦡 badger 🦢 swan 🦣 mammoth 🦤 dodo 🦥 sloth 🦦 otter 🦧
orangutan 🦨 skunk 🦩 flamingo 🦪 oyster 🦫 beaver 🦬 bison 🦭 seal 🦮 guide_dog 🦯 white_cane
probing_cane 🦴 bone 🦵 leg 🦶 foot 🦷 tooth 🦸 superhero 🦸‍♀️ superhero_woman 🦸‍♂️ superhero_man 🦹
supervillain 🦹‍♀️ supervillain_woman 🦹‍♂️ supervillain_man 🦺 safety_vest 🦻
ear_with_hearing_aid 🦼 motorized_wheelchair 🦽 manual_wheelchair 🦾 mechanical_arm 🦿
mechanical_leg 🧀 cheese cheese_wedge 🧁 cupcake 🧂 salt 🧃 beverage_box 🧄 garlic 🧅 onion 🧆
falafel 🧇 waffle 🧈 butter 🧉 mate 🧊 ice ice_cube 🧋 bubble_tea 🧌 troll 🧍 person_standing
standing_person 🧍‍♀️ standing_woman 🧍‍♂️ standing_man 🧎 kneeling_person person_kneeling 🧎‍♀️
kneeling_woman 🧎‍♂️ kneeling_man 🧏 deaf_person 🧐 monocle_face face_with_monocle 🧑 adult person
🧑‍🎄 mx_claus 🧑‍🦯 person_with_probing_cane 🧒 child 🧓 older_adult older_person 🧔 person_beard
bearded_person 🧕 woman_with_headscarf 🧖 sauna_person person_in_steamy_room 🧖‍♀️ sauna_woman
🧖‍♂️ sauna_man 🧗 climbing person_climbing 🧗‍♀️ climbing_woman 🧗‍♂️ climbing_man 🧘
lotus_position person_in_lotus_position 🧘‍♀️ lotus_position_woman 🧘‍♂️ lotus_position_man 🧙
mage 🧙‍♀️ mage_woman 🧙‍♂️ mage_man 🧚 fairy 🧚‍♀️ fairy_woman 🧚‍♂️ fairy_man 🧛 vampire 🧛‍♀️
vampire_woman 🧛‍♂️ vampire_man 🧜 merperson 🧝 elf 🧝‍♀️ elf_woman 🧝‍♂️ elf_man 🧞 genie 🧞‍♀️
genie_woman 🧞‍♂️ genie_man 🧟 zombie 🧟‍♀️ zombie_woman 🧟‍♂️ zombie_man 🧠 brain 🧡 orange_heart 🧢
billed_cap 🧣 scarf 🧤 gloves 🧥 coat 🧦 socks 🧧 red_envelope 🧨 firecracker 🧩 jigsaw puzzle_piece
🧪 test_tube 🧫 petri_dish 🧬 dna 🧭 compass 🧮 abacus 🧯 fire_extinguisher 🧰 toolbox 🧱 brick bricks
🧲 magnet 🧳 luggage 🧴 lotion_bottle 🧵 thread 🧶 yarn 🧷 safety_pin 🧸 teddy_bear 🧹 broom 🧺 basket
🧻 roll_of_paper 🧼 soap 🧽 sponge 🧾 receipt 🧿 nazar_amulet 🩰 ballet_shoes 🩱 one_piece_swimsuit 🩲
briefs swim_brief 🩳 shorts 🩴 thong_sandal 🩵 light_blue_heart 🩶 grey_heart 🩷 pink_heart 🩸
drop_of_blood 🩹 adhesive_bandage 🩺 stethoscope 🩻 x_ray 🩼 crutch 🪀 yo_yo 🪁 kite 🪂 parachute 🪃
boomerang 🪄 magic_wand 🪅 piata pinata 🪆 nesting_dolls 🪇 maracas 🪈 flute 🪉 harp 🪊 trombone 🪋
meteor 🪌 eraser 🪍 net_with_handle 🪎 treasure_chest 🪏 shovel 🪐 ringed_planet 🪑 chair 🪒 razor 🪓
axe 🪔 diya_lamp 🪕 banjo 🪖 military_helmet 🪗 accordion 🪘 long_drum 🪙 coin 🪚 carpentry_saw 🪛
screwdriver 🪜 ladder 🪝 hook 🪞 mirror 🪟 window 🪠 plunger 🪡 sewing_needle 🪢 knot 🪣 bucket 🪤
mouse_trap 🪥 toothbrush 🪦 headstone 🪧 placard 🪨 rock 🪩 mirror_ball 🪪 identification_card 🪫
low_battery 🪬 hamsa 🪭 folding_hand_fan 🪮 hair_pick 🪯 khanda 🪰 fly 🪱 worm 🪳 cockroach 🪴
potted_plant 🪵 wood 🪶 feather 🪷 lotus 🪸 coral 🪹 empty_nest 🪺 nest_with_eggs 🪻 hyacinth 🪼
jellyfish 🪽 wing 🪾 leafless_tree 🪿 goose 🫀 anatomical_heart 🫁 lungs 🫂 people_hugging 🫃
pregnant_man 🫄 pregnant_person 🫅 person_with_crown 🫆 fingerprint 🫈 hairy_creature 🫌
monarch_butterfly 🫍 orca 🫎 moose 🫏 donkey 🫐 blueberries 🫑 bell_pepper 🫒 olive 🫓 flatbread 🫔
tamale 🫕 fondue 🫖 teapot 🫗 pouring_liquid 🫘 beans 🫙 jar 🫚 ginger_root 🫛 pea_pod 🫜
root_vegetable 🫝 pickle 🫟 splatter 🫠 melting_face 🫡 saluting_face 🫣 face_with_peeking_eye 🫤
face_with_diagonal_mouth 🫥 dotted_line_face 🫦 biting_lip 🫧 bubbles 🫨 shaking_face 🫩
face_with_bags_under_eyes 🫪 distorted_face 🫫 cracking_face 🫯 fight_cloud 🫱 rightwards_hand 🫲
leftwards_hand 🫳 palm_down_hand 🫴 palm_up_hand 🫵 index_pointing_at_the_viewer 🫶 heart_hands 🫷
leftwards_pushing_hand 🫸 rightwards_pushing_hand 🫹 leftwards_thumb_sign 🫺
rightwards_thumb_sign
"""
