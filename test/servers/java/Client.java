import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema.*;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** A client of the Java SDK, 0.17 and 2.1; see ../programs/ts1Client.ts for its arguments and what it prints. */
class Client {
  static final Duration STEP = Duration.ofSeconds(5);
  static final long WAIT_MS = 200;
  static final long NOTE_MS = 3_000;
  static final long POLL_MS = 20;
  static final Map<String, Object> NONE = Map.of();
  static final Map<String, String> SEEN = new HashMap<>();
  static final BlockingQueue<String> PROGRESS = new LinkedBlockingQueue<>();
  static final BlockingQueue<String> LOGGED = new LinkedBlockingQueue<>();
  static final BlockingQueue<String> UPDATED = new LinkedBlockingQueue<>();
  static McpAsyncClient client;
  static String prefix;

  interface Take {
    String take() throws Exception;
  }

  static void step(String title, Take take) {
    try {
      SEEN.put(title, take.take());
    } catch (Exception error) {
      Throwable cause = error;
      while (cause.getCause() != null) cause = cause.getCause();
      SEEN.put(title, "failed: " + cause);
    }
  }

  static Mono<CallToolResult> call(String tool, Map<String, Object> args) {
    Map<String, Object> meta = Map.of("progressToken", tool);
    return client.callTool(prefix.isEmpty()
        ? new CallToolRequest(tool, args, meta)
        : new CallToolRequest("call_tool", Map.of("name", prefix + tool, "arguments", args), meta));
  }

  static String told(String tool, Map<String, Object> args) {
    CallToolResult result = call(tool, args).block();
    String text = ((TextContent) result.content().get(0)).text();
    return Boolean.TRUE.equals(result.isError()) ? "error: " + text : text;
  }

  static String read(String uri) {
    ReadResourceResult result = client.readResource(new ReadResourceRequest(uri)).block();
    return ((TextResourceContents) result.contents().get(0)).text();
  }

  static String first(BlockingQueue<String> notes) throws InterruptedException {
    String note = notes.poll(NOTE_MS, TimeUnit.MILLISECONDS);
    return note == null ? "nothing came" : note;
  }

  public static void main(String[] args) throws Exception {
    prefix = args.length > 2 ? args[2] : "";
    String note = "note://" + args[1] + "/one";
    client = McpClient.async(HttpClientStreamableHttpTransport.builder(args[0]).build())
        .requestTimeout(STEP)
        .clientInfo(new Implementation("java", "1"))
        .roots(new Root("file:///home/ada", null))
        .sampling(asked -> Mono.just(
            new CreateMessageResult(Role.ASSISTANT, new TextContent("Paris"), "scripted", null)))
        .elicitation(asked -> Mono.just(new ElicitResult(ElicitResult.Action.ACCEPT, Map.of("name", "Ada"))))
        .progressConsumer(update -> Mono.fromRunnable(() ->
            PROGRESS.add(update.progress().intValue() + "/" + update.total().intValue())))
        .loggingConsumer(line -> Mono.fromRunnable(() -> {
          // Lines of other servers arrive through Pegboard as well, and name their server.
          if (prefix.isEmpty() || line.logger().startsWith(args[1]))
            LOGGED.add(line.level().name().toLowerCase() + " " + line.data());
        }))
        // The SDK has read the resource.
        .resourcesUpdateConsumer(read -> Mono.fromRunnable(() -> UPDATED.add(read.get(0).uri())))
        .build();

    step("initialize", () -> { client.initialize().block(); return "connected"; });
    if (SEEN.get("initialize").equals("connected")) walk(note);
    System.out.println(Server.JSON.writeValueAsString(SEEN));
    System.exit(0);
  }

  static void walk(String note) {
    step("text", () -> told("echo", Map.of("message", "there")));
    step("image", () -> {
      ImageContent image = (ImageContent) call("image", NONE).block().content().get(0);
      return image.mimeType() + " " + image.data().length();
    });
    step("structured", () ->
        Server.JSON.writeValueAsString(call("structured", Map.of("a", 2, "b", 3)).block().structuredContent()));
    step("isError", () -> told("fail", NONE));
    step("bad arguments", () -> {
      try {
        return told("echo", Map.of("message", Map.of("no", "text"))).startsWith("error") ? "refused" : "accepted";
      } catch (RuntimeException error) {
        return "refused";
      }
    });
    step("progress", () -> {
      PROGRESS.clear();
      call("slow", NONE).block();
      return String.join(" ", PROGRESS);
    });
    step("logging", () -> {
      // Servers that do not let the level be set log anyway.
      client.setLoggingLevel(LoggingLevel.INFO).onErrorComplete().block();
      call("log", NONE).block();
      return first(LOGGED);
    });
    step("elicitation", () -> told("elicit", NONE));
    step("sampling", () -> told("sample", NONE));
    step("roots", () -> told("roots", NONE));
    step("cancel", () -> {
      String before = told("cancelled", NONE);
      Disposable waiting = call("wait", NONE).subscribe();
      Thread.sleep(WAIT_MS);
      waiting.dispose();
      // By the clock: after 15 s Pegboard itself cancels the call.
      long end = System.currentTimeMillis() + NOTE_MS;
      while (System.currentTimeMillis() < end) {
        if (!told("cancelled", NONE).equals(before)) return "1 reached it";
        Thread.sleep(POLL_MS);
      }
      return "nothing reached it";
    });
    step("read", () -> read(note));
    step("template", () -> read(note.replace("/one", "/item/7")));
    step("subscribe", () -> {
      client.subscribeResource(new SubscribeRequest(note)).block();
      call("touch", NONE).block();
      return first(UPDATED);
    });
    step("prompt", () -> {
      GetPromptResult result =
          client.getPrompt(new GetPromptRequest(prefix + "greet", Map.of("who", "Ada"))).block();
      return ((TextContent) result.messages().get(0).content()).text();
    });
    step("completion", () -> {
      CompleteRequest.CompleteArgument who = new CompleteRequest.CompleteArgument("who", "A");
      CompleteResult result =
          client.completeCompletion(new CompleteRequest(new PromptReference(prefix + "greet"), who)).block();
      return String.join(" ", result.completion().values());
    });
    step("ping", () -> { client.ping().block(); return "answered"; });
    step("end", () -> { client.closeGracefully().block(STEP); return "ended"; });
  }
}
