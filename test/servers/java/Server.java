import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.McpJsonMapperSupplier;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncCompletionSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncPromptSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceTemplateSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.*;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.apache.catalina.startup.Tomcat;

/** A server of the Java SDK, 0.17 and 2.1; see ../programs/offer.ts for its arguments. */
class Server {
  static final String PIXEL =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
  static final McpJsonMapper JSON = ServiceLoader.load(McpJsonMapperSupplier.class).findFirst().get().get();
  static final List<SyncToolSpecification> TOOLS = new ArrayList<>();

  interface Run {
    String run(McpSyncServerExchange client, CallToolRequest asked) throws Exception;
  }

  static Tool.Builder tool(String name, String properties, String required) {
    String schema = "{\"type\":\"object\",\"properties\":{" + properties + "},\"required\":[" + required + "]}";
    return Tool.builder().name(name).inputSchema(JSON, schema);
  }

  static SyncToolSpecification tool(
      Tool.Builder tool, BiFunction<McpSyncServerExchange, CallToolRequest, CallToolResult> handler) {
    return SyncToolSpecification.builder().tool(tool.build()).callHandler(handler).build();
  }

  /** A tool without arguments, whose result is a text. */
  static SyncToolSpecification text(String name, Run handler) {
    return tool(tool(name, "", ""), (client, asked) -> {
      try {
        return CallToolResult.builder().addTextContent(handler.run(client, asked)).build();
      } catch (Exception error) {
        return CallToolResult.builder().addTextContent(String.valueOf(error.getMessage())).isError(true).build();
      }
    });
  }

  public static void main(String[] args) throws Exception {
    String transport = args[0];
    String note = "note://" + args[1] + "/one";
    String template = "note://" + args[1] + "/item/{id}";
    McpSyncServer[] server = new McpSyncServer[1];
    SyncToolSpecification bye = text("bye", (client, asked) -> "Bye");

    TOOLS.add(tool(tool("echo", "\"message\":{\"type\":\"string\"}", "\"message\""), (client, asked) -> {
      Object message = asked.arguments().get("message");
      if (message instanceof String said) return CallToolResult.builder().addTextContent("Echo: " + said).build();
      return CallToolResult.builder().addTextContent("message must be a string").isError(true).build();
    }));
    TOOLS.add(tool(tool("image", "", ""), (client, asked) ->
        CallToolResult.builder().addContent(new ImageContent(null, PIXEL, "image/png")).build()));
    String numbers = "\"a\":{\"type\":\"number\"},\"b\":{\"type\":\"number\"}";
    String sum = "{\"type\":\"object\",\"properties\":{\"sum\":{\"type\":\"number\"}}}";
    TOOLS.add(tool(tool("structured", numbers, "").outputSchema(JSON, sum), (client, asked) -> {
      int total = ((Number) asked.arguments().get("a")).intValue() + ((Number) asked.arguments().get("b")).intValue();
      return CallToolResult.builder().addTextContent("" + total).structuredContent(Map.of("sum", total)).build();
    }));
    TOOLS.add(text("fail", (client, asked) -> { throw new Exception("it failed"); }));
    TOOLS.add(text("slow", (client, asked) -> {
      for (double step = 1; step <= 3; step++) {
        Thread.sleep(50);
        if (asked.progressToken() != null)
          client.progressNotification(new ProgressNotification(asked.progressToken(), step, 3.0, null));
      }
      return "done";
    }));
    // The SDK does not pass on that a call was cancelled.
    TOOLS.add(text("wait", (client, asked) -> { Thread.sleep(1_000); return "waited"; }));
    TOOLS.add(text("cancelled", (client, asked) -> "0"));
    TOOLS.add(text("log", (client, asked) -> {
      client.loggingNotification(
          LoggingMessageNotification.builder().level(LoggingLevel.INFO).logger("here").data("hello").build());
      return "logged";
    }));
    TOOLS.add(text("elicit", (client, asked) -> {
      Map<String, Object> schema = Map.of("type", "object", "properties", Map.of("name", Map.of("type", "string")));
      ElicitResult answer =
          client.createElicitation(ElicitRequest.builder().message("Who?").requestedSchema(schema).build());
      return answer.action().name().toLowerCase() + " " + answer.content().get("name");
    }));
    TOOLS.add(text("sample", (client, asked) -> {
      List<SamplingMessage> question = List.of(new SamplingMessage(Role.USER, new TextContent("Capital?")));
      CreateMessageResult answer =
          client.createMessage(CreateMessageRequest.builder().messages(question).maxTokens(10).build());
      return ((TextContent) answer.content()).text();
    }));
    TOOLS.add(text("roots", (client, asked) -> client.listRoots().roots().get(0).uri()));
    TOOLS.add(text("touch", (client, asked) -> {
      server[0].notifyResourcesUpdated(new ResourcesUpdatedNotification(note));
      return "touched";
    }));
    TOOLS.add(text("grow", (client, asked) -> { server[0].addTool(bye); return "grown"; }));
    if (Files.exists(Path.of(args[2]))) TOOLS.add(bye);

    SyncResourceSpecification one = new SyncResourceSpecification(
        Resource.builder().uri(note).name("one").build(), (client, asked) -> read(note, "the note"));
    SyncResourceTemplateSpecification item = new SyncResourceTemplateSpecification(
        ResourceTemplate.builder().uriTemplate(template).name("item").build(),
        (client, asked) -> read(asked.uri(), "item " + asked.uri().substring(asked.uri().lastIndexOf('/') + 1)));
    SyncPromptSpecification greet = new SyncPromptSpecification(
        new Prompt("greet", null, List.of(new PromptArgument("who", null, true))),
        (client, asked) -> new GetPromptResult(null,
            List.of(new PromptMessage(Role.USER, new TextContent("Greet " + asked.arguments().get("who"))))));
    SyncCompletionSpecification who = new SyncCompletionSpecification(new PromptReference("greet"), (client, asked) -> {
      List<String> values =
          Stream.of("Ada", "Alan", "Grace").filter(name -> name.startsWith(asked.argument().value())).toList();
      return new CompleteResult(new CompleteResult.CompleteCompletion(values, values.size(), false));
    });

    ServerCapabilities offered =
        ServerCapabilities.builder().tools(true).resources(true, true).prompts(true).logging().completions().build();
    if (transport.equals("stdio")) {
      server[0] = McpServer.sync(new StdioServerTransportProvider(JSON)).serverInfo("java", "1").capabilities(offered)
          .tools(TOOLS).resources(one).resourceTemplates(item).prompts(greet).completions(who).build();
      // Its threads do not keep the process.
      Thread.currentThread().join();
    }
    HttpServletStreamableServerTransportProvider servlet =
        HttpServletStreamableServerTransportProvider.builder().jsonMapper(JSON).mcpEndpoint("/mcp").build();
    server[0] = McpServer.sync(servlet).serverInfo("java", "1").capabilities(offered)
        .tools(TOOLS).resources(one).resourceTemplates(item).prompts(greet).completions(who).build();
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(Files.createTempDirectory("pegboard-java-").toString());
    tomcat.setPort(Integer.parseInt(transport));
    var context = tomcat.addContext("", new File(".").getAbsolutePath());
    Tomcat.addServlet(context, "mcp", servlet).setAsyncSupported(true);
    context.addServletMappingDecoded("/*", "mcp");
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    tomcat.start();
    tomcat.getServer().await();
  }

  static ReadResourceResult read(String uri, String text) {
    return new ReadResourceResult(List.of(new TextResourceContents(uri, "text/plain", text)));
  }
}
