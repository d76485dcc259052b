import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.Callable;
import org.springframework.ai.chat.client.AdvisorParams;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.openai.OpenAiChatModel;
import org.springframework.ai.openai.OpenAiChatOptions;
import org.springframework.ai.tool.annotation.Tool;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Spring AI's client for OpenAI, with no settings but address and key; each check is compared with its exact charge. */
public class CheckSpringAi {
  static final String MODEL = "mm-2.5-flash";
  static final String GATEWAY = System.getenv("CLIENTS_GATEWAY_URL");
  static final String SANDBOX = System.getenv("CLIENTS_SANDBOX_URL");
  static final String KEY = System.getenv("CLIENTS_KEY");
  static final HttpClient HTTP = HttpClient.newHttpClient();
  static final ObjectMapper JSON = new ObjectMapper();
  static boolean hasFailed = false;

  record City(String name, int people) {}

  static class Weather {
    @Tool(description = "The weather of a city")
    String getWeather(String city) {
      return "clear sky";
    }
  }

  public static void main(String[] arguments) {
    var options = OpenAiChatOptions.builder().baseUrl(GATEWAY + "/v1").apiKey(KEY).model(MODEL).build();
    var client = ChatClient.create(OpenAiChatModel.builder().options(options).build());
    var question = "What is a gateway?";

    check("turn", 1, () -> client.prompt(question).call().content().contains(question));
    check("tools", 2, () -> client.prompt(question).tools(new Weather()).call().content().contains("clear sky"));
    check("stream", 1, () -> String.join("", client.prompt(question).stream().content().toIterable()).contains(question));
    check(
        "structured output",
        1,
        () ->
            client
                    .prompt(question)
                    .advisors(AdvisorParams.ENABLE_NATIVE_STRUCTURED_OUTPUT)
                    .call()
                    .entity(City.class)
                    .name()
                != null);
    System.out.println(
        "note    "
            + name()
            + ": Structured output with `AdvisorParams.ENABLE_NATIVE_STRUCTURED_OUTPUT`; otherwise it asks for the form in the prompt.");
    System.exit(hasFailed ? 1 : 0);
  }

  static String name() {
    return "spring-ai-openai " + OpenAiChatModel.class.getPackage().getImplementationVersion();
  }

  /** What the sandbox has billed for so many turns, at the catalog's prices, must have been charged. */
  static void check(String what, int turns, Callable<Boolean> run) {
    var name = name();
    try {
      send(HttpRequest.newBuilder(URI.create(SANDBOX + "/sandbox/reset")).POST(HttpRequest.BodyPublishers.noBody()));
      var before = spend();
      if (!run.call()) throw new IllegalStateException("the answer is not the expected one");
      var expected = costOfTurns(turns);
      var charged = spend() - before;
      // The spend may follow a moment after the client's last byte.
      for (var look = 0; charged < expected && look < 40; look += 1) {
        Thread.sleep(50);
        charged = spend() - before;
      }
      if (charged != expected) throw new IllegalStateException("charged " + charged + " nano-dollars, expected " + expected);
      System.out.println("ok      " + name + ": " + what + " (" + BigDecimal.valueOf(charged, 9).stripTrailingZeros().toPlainString() + " USD)");
    } catch (Exception error) {
      hasFailed = true;
      System.out.println("FAILED  " + name + ": " + what + ": " + error);
    }
  }

  /** Nano-dollars. */
  static long costOfTurns(int count) throws Exception {
    var sold = read(SANDBOX + "/sandbox/counters").at("/billed/gemini-2.5-flash");
    var calls = sold.get("calls").asInt();
    if (calls != count) throw new IllegalStateException(calls + " calls, expected " + count);
    var prices = JSON.readTree(System.getenv("CLIENTS_PRICES")).get(MODEL);
    var cached = sold.get("cachedTokens").asLong();
    return cost(prices, "input", sold.get("promptTokens").asLong() - cached)
        + cost(prices, "cached_input", cached)
        + cost(prices, "output", sold.get("candidatesTokens").asLong())
        + cost(prices, "reasoning", sold.get("thoughtsTokens").asLong());
  }

  static long cost(JsonNode prices, String unit, long tokens) {
    var price = new BigDecimal(prices.get(unit).asString());
    return price.multiply(BigDecimal.valueOf(tokens * 1000)).setScale(0, RoundingMode.CEILING).longValueExact();
  }

  /** Nano-dollars. */
  static long spend() throws Exception {
    return Math.round(read(GATEWAY + "/key/info").at("/info/spend").asDouble() * 1e9);
  }

  static JsonNode read(String address) throws Exception {
    return JSON.readTree(send(HttpRequest.newBuilder(URI.create(address)).header("authorization", "Bearer " + KEY)));
  }

  static String send(HttpRequest.Builder request) throws IOException, InterruptedException {
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString()).body();
  }
}
