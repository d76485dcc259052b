import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Collections;
import java.util.concurrent.Callable;
import org.springframework.ai.chat.client.AdvisorParams;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.openai.OpenAiChatModel;
import org.springframework.ai.openai.OpenAiChatOptions;
import org.springframework.ai.tool.annotation.Tool;

/** Spring AI's client for OpenAI, with no settings but address and key; each call is compared with its row in the ledger. */
public class CheckSpringAi {
  static final String MODEL = "mm-2.5-flash";
  static final String GATEWAY = System.getenv("CLIENTS_GATEWAY_URL");
  static final String BOOKS = System.getenv("CLIENTS_BOOKS_URL");
  static final String KEY = System.getenv("CLIENTS_KEY");
  static final HttpClient HTTP = HttpClient.newHttpClient();
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

  /** A check of so many turns, each compared with its row in the ledger. */
  static void check(String what, int turns, Callable<Boolean> run) {
    var name = name();
    try {
      post("/begin", "");
      if (!run.call()) throw new IllegalStateException("the answer is not the expected one");
      var calls = String.join(",", Collections.nCopies(turns, "{\"model\":\"" + MODEL + "\"}"));
      System.out.println("ok      " + name + ": " + what + " (" + post("/end", "{\"calls\":[" + calls + "]}") + ")");
    } catch (Exception error) {
      hasFailed = true;
      System.out.println("FAILED  " + name + ": " + what + ": " + error);
    }
  }

  /** Throws an IllegalStateException that says what differs between the calls, the ledger and the sandbox. */
  static String post(String path, String body) throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(URI.create(BOOKS + path)).POST(HttpRequest.BodyPublishers.ofString(body));
    var reply = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    if (reply.statusCode() != 200) throw new IllegalStateException(reply.body());
    return reply.body();
  }
}
