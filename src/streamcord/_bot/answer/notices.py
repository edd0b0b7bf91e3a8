"""What people are told when something does not go as they wish, in their language: what happened, what to do.

One table; English first, and wherever a language lacks a line. No notice quotes an error: those may hold
secrets, and help nobody who reads them in a channel.
"""

# ruff: noqa: E501  (one line per notice reads best)

from __future__ import annotations

from collections.abc import Mapping

from streamcord import (
    ChannelGone,
    ContentBlocked,
    NotAllowed,
    Overloaded,
    ProviderError,
    RateLimited,
    Rejected,
    Truncated,
)

__all__ = ["LOCALES", "NOTICES", "name_of_error", "word"]

NOTICES: Mapping[str, Mapping[str, str]] = {
    "en": {
        "empty": "The model said nothing, even when asked again. Say it in other words, or ask once more.",
        "rate_limited": "The model's provider asks for a pause. Try again in {seconds} seconds.",
        "overloaded": "The model cannot be reached just now. Try again in a moment.",
        "blocked": "The model's provider blocked this for its content. Say it in other words.",
        "truncated": "The connection to the model broke off. Press Continue, or ask again.",
        "timeout": "The model fell silent. Press Continue, or ask again.",
        "rejected": "The model's provider refused the request. Whoever runs this bot finds the reason in its log.",
        "provider": "The model's provider reported an error. Try again, or choose another model with /model.",
        "store": "My memory cannot be reached just now, so I answer with my standard settings.",
        "failed": "Something went wrong here. Whoever runs this bot finds it in the log as turn {turn}.",
        "full": "Many people are waiting here. Ask again in a moment.",
        "stopped": "Stopped.",
        "nothing": "Nothing to stop here.",
        "not_yours": "Only {owner}, or somebody who may manage messages, can do that.",
        "who_asked": "whoever asked",
        "store_down": "My memory cannot be reached just now. Try again in a moment.",
        "too_old": "I do not remember that answer any more. Just ask again.",
        "no_question": "The question to this answer is gone.",
        "not_mine": "I did not write that message.",
        "model_is": "Model here: **{model}**.",
        "model_set": "From now on **{model}** answers here.",
        "model_unknown": "There is no model `{model}`. There are: {models}.",
        "may_not": "You need the permission to manage the server for that.",
        "stop": "Stop",
        "again": "Again",
        "more": "Continue",
        "tool": "uses {tool} …",
        "thoughts": "Thoughts",
        "thought_for": "thought for {seconds} s",
        "help": "**{name}** answers when you mention it, reply to it or write to it directly.\n{commands}\n"
        "Send a few lines quickly and they are one question; write again while it answers and it begins anew. "
        "Edit your question and it starts over; delete it and it stops.",
        "help_words": "It also listens to: {words}.",
    },
    "de": {
        "empty": "Das Modell hat nichts gesagt, auch nicht auf Nachfrage. Sag es anders oder frag noch einmal.",
        "rate_limited": "Der Anbieter des Modells bittet um eine Pause. Versuch es in {seconds} Sekunden wieder.",
        "overloaded": "Das Modell ist gerade nicht zu erreichen. Versuch es gleich noch einmal.",
        "blocked": "Der Anbieter des Modells hat das wegen des Inhalts abgelehnt. Sag es anders.",
        "truncated": "Die Verbindung zum Modell ist abgerissen. Drück auf Weiter oder frag noch einmal.",
        "timeout": "Das Modell ist verstummt. Drück auf Weiter oder frag noch einmal.",
        "rejected": "Der Anbieter des Modells hat die Anfrage abgelehnt. Wer den Bot betreibt, findet den Grund im Log.",
        "provider": "Der Anbieter des Modells meldet einen Fehler. Versuch es noch einmal oder nimm mit /model ein anderes.",
        "store": "Mein Gedächtnis ist gerade nicht zu erreichen, ich antworte mit den Grundeinstellungen.",
        "failed": "Hier ist etwas schiefgegangen. Wer den Bot betreibt, findet es im Log unter {turn}.",
        "full": "Hier warten gerade viele. Frag gleich noch einmal.",
        "stopped": "Angehalten.",
        "nothing": "Hier gibt es nichts anzuhalten.",
        "not_yours": "Das können nur {owner} oder jemand, der Nachrichten verwalten darf.",
        "who_asked": "wer gefragt hat",
        "store_down": "Mein Gedächtnis ist gerade nicht zu erreichen. Versuch es gleich noch einmal.",
        "too_old": "An diese Antwort erinnere ich mich nicht mehr. Frag einfach noch einmal.",
        "no_question": "Die Frage zu dieser Antwort gibt es nicht mehr.",
        "not_mine": "Diese Nachricht ist nicht von mir.",
        "model_is": "Modell hier: **{model}**.",
        "model_set": "Ab jetzt antwortet hier **{model}**.",
        "model_unknown": "Ein Modell `{model}` gibt es nicht. Es gibt: {models}.",
        "may_not": "Dafür brauchst du das Recht, den Server zu verwalten.",
        "stop": "Stopp",
        "again": "Nochmal",
        "more": "Weiter",
        "tool": "benutzt {tool} …",
        "thoughts": "Gedanken",
        "thought_for": "{seconds} s nachgedacht",
        "help": "**{name}** antwortet, wenn du es erwähnst, ihm antwortest oder direkt schreibst.\n{commands}\n"
        "Ein paar schnelle Zeilen sind eine Frage; schreibst du weiter, während es antwortet, fängt es neu an. "
        "Änderst du deine Frage, beginnt es von vorn; löschst du sie, hört es auf.",
        "help_words": "Es hört auch auf: {words}.",
    },
    "ja": {
        "empty": "モデルから返事がありませんでした。言い方を変えるか、もう一度聞いてみてください。",
        "rate_limited": "モデルの提供元が混み合っています。{seconds} 秒後にもう一度お試しください。",
        "overloaded": "今はモデルにつながりません。少し待ってからもう一度お試しください。",
        "blocked": "内容を理由にモデルの提供元に拒否されました。別の言い方をしてみてください。",
        "truncated": "モデルとの接続が途中で切れました。「続き」を押すか、もう一度聞いてください。",
        "timeout": "モデルが黙ってしまいました。「続き」を押すか、もう一度聞いてください。",
        "rejected": "モデルの提供元がリクエストを拒否しました。理由はボット管理者のログにあります。",
        "provider": "モデルの提供元でエラーが起きました。もう一度試すか、/model で別のモデルを選んでください。",
        "store": "今は記憶に触れられないので、標準の設定で答えます。",
        "failed": "問題が起きました。ボット管理者のログに {turn} として残っています。",
        "full": "たくさんの人が待っています。少し後でもう一度どうぞ。",
        "stopped": "止めました。",
        "nothing": "止めるものがありません。",
        "not_yours": "それができるのは {owner} さんか、メッセージを管理できる人だけです。",
        "who_asked": "質問した人",
        "store_down": "今は記憶に触れられません。少し待ってからもう一度お試しください。",
        "too_old": "その返事はもう覚えていません。もう一度聞いてください。",
        "no_question": "この返事のもとの質問はもうありません。",
        "not_mine": "そのメッセージは私のものではありません。",
        "model_is": "ここのモデル: **{model}**。",
        "model_set": "これからここでは **{model}** が答えます。",
        "model_unknown": "`{model}` というモデルはありません。使えるのは: {models}。",
        "may_not": "サーバー管理の権限が必要です。",
        "stop": "停止",
        "again": "もう一度",
        "more": "続き",
        "tool": "{tool} を使っています…",
        "thoughts": "考え",
        "thought_for": "{seconds} 秒考えました",
        "help": "**{name}** は、メンション、返信、ダイレクトメッセージに答えます。\n{commands}\n"
        "続けて送った短いメッセージは一つの質問になります。返事の途中でまた書くと、最初から答え直します。"
        "質問を編集すると答え直し、削除すると止まります。",
        "help_words": "次の言葉にも反応します: {words}。",
    },
    "es": {
        "empty": "El modelo no dijo nada, tampoco al insistir. Dilo de otra forma o pregunta otra vez.",
        "rate_limited": "El proveedor del modelo pide una pausa. Inténtalo de nuevo en {seconds} segundos.",
        "overloaded": "Ahora mismo no se puede contactar con el modelo. Inténtalo de nuevo en un momento.",
        "blocked": "El proveedor del modelo lo bloqueó por su contenido. Dilo de otra forma.",
        "truncated": "Se cortó la conexión con el modelo. Pulsa Continuar o pregunta otra vez.",
        "timeout": "El modelo se quedó callado. Pulsa Continuar o pregunta otra vez.",
        "rejected": "El proveedor del modelo rechazó la petición. Quien lleva este bot verá el motivo en su registro.",
        "provider": "El proveedor del modelo dio un error. Inténtalo de nuevo o elige otro modelo con /model.",
        "store": "Ahora no alcanzo mi memoria, así que respondo con los ajustes básicos.",
        "failed": "Algo salió mal. Quien lleva este bot lo encontrará en el registro como {turn}.",
        "full": "Hay mucha gente esperando aquí. Pregunta otra vez en un momento.",
        "stopped": "Detenido.",
        "nothing": "Aquí no hay nada que detener.",
        "not_yours": "Eso solo puede hacerlo {owner} o quien pueda gestionar mensajes.",
        "who_asked": "quien preguntó",
        "store_down": "Ahora no alcanzo mi memoria. Inténtalo de nuevo en un momento.",
        "too_old": "Ya no recuerdo esa respuesta. Pregunta otra vez.",
        "no_question": "La pregunta de esta respuesta ya no existe.",
        "not_mine": "Ese mensaje no lo escribí yo.",
        "model_is": "Modelo aquí: **{model}**.",
        "model_set": "A partir de ahora aquí responde **{model}**.",
        "model_unknown": "No hay ningún modelo `{model}`. Hay: {models}.",
        "may_not": "Para eso necesitas permiso para gestionar el servidor.",
        "stop": "Parar",
        "again": "Otra vez",
        "more": "Continuar",
        "tool": "usa {tool} …",
        "thoughts": "Pensamientos",
        "thought_for": "pensó {seconds} s",
        "help": "**{name}** responde si lo mencionas, le contestas o le escribes en privado.\n{commands}\n"
        "Varias líneas rápidas son una sola pregunta; si escribes mientras responde, empieza de nuevo. "
        "Si editas la pregunta vuelve a empezar; si la borras, se detiene.",
        "help_words": "También atiende a: {words}.",
    },
}  # fmt: skip
LOCALES = tuple(NOTICES)

_ERRORS: tuple[tuple[type[BaseException], str], ...] = (
    (RateLimited, "rate_limited"),
    (Overloaded, "overloaded"),
    (ContentBlocked, "blocked"),
    (Truncated, "truncated"),
    (Rejected, "rejected"),
    (ProviderError, "provider"),
    (TimeoutError, "timeout"),
    (ChannelGone, ""),
    (NotAllowed, ""),
)


def word(locale: str, key: str, /, **values: object) -> str:
    """The line of this name in a language, or in English; `pt-BR` reads as `pt`."""
    lines = NOTICES.get(locale.partition("-")[0].lower(), {})
    return (lines.get(key) or NOTICES["en"][key]).format(**values)


def name_of_error(error: BaseException) -> str:
    """Which notice tells people of an error; empty if there is nowhere to say it."""
    return next((name for kind, name in _ERRORS if isinstance(error, kind)), "failed")
