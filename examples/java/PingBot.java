// A bot and its test on a local Discord, with nothing but the JDK: `discord-twin --no-limits`, then `java PingBot.java`.
//
// The bot speaks Discord's API as JDA, Discord4J or Kord do; JDA itself is pointed at the twin with
//     JDABuilder.createDefault(token).setRestConfig(new RestConfig().setBaseUrl(url + "/api/v10/"))
// and finds the gateway by itself. The test acts as a user over the twin's control API (/control/openapi.json).
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public class PingBot implements WebSocket.Listener {
  static final HttpClient HTTP = HttpClient.newHttpClient();
  static final int INTENTS = 1 | 1 << 9 | 1 << 15; // guilds, guild messages, message content
  static String url = System.getenv().getOrDefault("DISCORD_TWIN_URL", "http://127.0.0.1:8765");
  static String token;

  final StringBuilder frame = new StringBuilder();

  /** Answer every "ping" of a person with "pong". */
  public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
    frame.append(data);
    socket.request(1);
    if (!last) return null;
    String text = frame.toString();
    frame.setLength(0);
    if (text.contains("\"op\":10"))
      socket.sendText("{\"op\":2,\"d\":{\"token\":\"" + token + "\",\"intents\":" + INTENTS + ",\"properties\":{}}}", true);
    if (text.contains("\"t\":\"MESSAGE_CREATE\"") && text.contains("\"content\":\"ping\""))
      send("POST", "/api/v10/channels/" + find(text, "\"channel_id\":\"(\\d+)\"") + "/messages", "{\"content\":\"pong\"}");
    return null;
  }

  static String send(String method, String path, String body) {
    var request = HttpRequest.newBuilder(URI.create(url + path)).timeout(Duration.ofSeconds(20))
        .header("Authorization", "Bot " + token).header("Content-Type", "application/json")
        .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body)).build();
    try {
      var response = HTTP.send(request, BodyHandlers.ofString());
      if (response.statusCode() >= 300) throw new IllegalStateException(path + ": " + response.body());
      return response.body();
    } catch (java.io.IOException | InterruptedException error) {
      throw new IllegalStateException(path, error);
    }
  }

  static String find(String text, String pattern) {
    Matcher found = Pattern.compile(pattern).matcher(text);
    if (!found.find()) throw new IllegalStateException("no " + pattern + " in " + text);
    return found.group(1);
  }

  public static void main(String[] arguments) {
    String twin = send("GET", "/control", null);
    token = find(twin, "\"token\": \"([^\"]+)\"");
    var bot = HTTP.newWebSocketBuilder().buildAsync(URI.create(find(twin, "\"gateway\": \"([^\"]+)\"")), new PingBot()).join();
    send("POST", "/control/wait", "{\"for\": \"ready\"}");

    send("POST", "/control/reset", "{}");
    send("POST", "/control/users", "{\"name\": \"bob\"}");
    send("POST", "/control/say", "{\"user\": \"bob\", \"text\": \"ping\"}");
    String answer = find(send("POST", "/control/next-message", "{}"), "\"content\": \"([^\"]*)\"");
    if (!answer.equals("pong")) throw new AssertionError("the bot said " + answer);

    // A bot that does not look at the status loses this answer; the log says what happened.
    send("POST", "/control/faults", "{\"kind\": \"STATUS\", \"status\": 503}");
    send("POST", "/control/say", "{\"user\": \"bob\", \"text\": \"ping\"}");
    send("POST", "/control/wait", "{\"for\": \"request\", \"route\": \"messages.create\", \"status\": 503}");
    bot.abort();
    System.out.println("ok: pong, and a 503 that the bot met");
  }
}
