//! See ../../programs/offer.ts for the arguments.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::handler::server::tool::{InputResponses, ToolRouter};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::*;
use rmcp::schemars::{self, JsonSchema};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext, SubscriptionSink};
use rmcp::transport::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::{
    ErrorData, Json, Peer, RoleServer, ServerHandler, ServiceExt, prompt, prompt_handler, prompt_router, tool,
    tool_handler, tool_router,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Failure;

const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const STEPS: u8 = 3;
const STEP_TIME: Duration = Duration::from_millis(50);

#[derive(Deserialize, JsonSchema)]
struct Message {
    message: String,
}

#[derive(Deserialize, JsonSchema)]
struct Numbers {
    a: i64,
    b: i64,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

#[derive(Deserialize, JsonSchema)]
struct Greeted {
    who: String,
}

/// One for all sessions.
struct Server {
    name: String,
    has_bye: AtomicBool,
    cancelled: AtomicUsize,
    /// Clients of older revisions.
    peers: Mutex<Vec<Peer<RoleServer>>>,
    /// Subscriptions of 2026-07-28.
    sinks: Mutex<Vec<SubscriptionSink>>,
}

impl Server {
    fn note(&self) -> String {
        format!("note://{}/one", self.name)
    }

    fn router(&self) -> ToolRouter<Self> {
        let mut router = Self::tool_router();
        if !self.has_bye.load(Ordering::Relaxed) {
            router.disable_route("bye");
        }
        router
    }

    /// Those who have left do not keep the others from hearing of it.
    async fn tell(&self, note: ServerNotification) {
        let peers = self.peers.lock().unwrap().clone();
        for peer in peers {
            let _ = peer.send_notification(note.clone()).await;
        }
        let sinks = self.sinks.lock().unwrap().clone();
        for sink in sinks {
            let _ = sink.send(note.clone()).await;
        }
    }
}

#[tool_router]
impl Server {
    #[tool]
    fn echo(&self, Parameters(Message { message }): Parameters<Message>) -> String {
        format!("Echo: {message}")
    }

    #[tool]
    fn image(&self) -> ContentBlock {
        ContentBlock::image(PIXEL, "image/png")
    }

    #[tool]
    fn structured(&self, Parameters(Numbers { a, b }): Parameters<Numbers>) -> Json<Sum> {
        Json(Sum { sum: a + b })
    }

    #[tool]
    fn fail(&self) -> Result<String, String> {
        Err("it failed".into())
    }

    #[tool]
    async fn slow(&self, context: RequestContext<RoleServer>) -> Result<String, String> {
        for step in 1..=STEPS {
            tokio::time::sleep(STEP_TIME).await;
            if let Some(token) = context.meta.get_progress_token() {
                let progress = ProgressNotificationParam::new(token, step.into());
                let sent = context.peer.notify_progress(progress.with_total(STEPS.into()));
                sent.await.map_err(|error| error.to_string())?;
            }
        }
        Ok("done".into())
    }

    #[tool]
    async fn wait(&self, context: RequestContext<RoleServer>) -> String {
        context.ct.cancelled().await;
        self.cancelled.fetch_add(1, Ordering::Relaxed);
        "cancelled".into()
    }

    #[tool]
    fn cancelled(&self) -> String {
        self.cancelled.load(Ordering::Relaxed).to_string()
    }

    #[tool]
    async fn log(&self, context: RequestContext<RoleServer>) -> Result<String, String> {
        let line = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!("hello"));
        let sent = context.peer.notify_logging_message(line);
        sent.await.map_err(|error| error.to_string())?;
        Ok("logged".into())
    }

    #[tool]
    async fn elicit(
        &self,
        given: InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
        let question = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: "Who?".into(),
            requested_schema: serde_json::from_value(schema).unwrap(),
        };
        let question = InputRequest::Elicitation(ElicitRequest::new(question));
        ask(question, given, context, |answer| {
            format!("{} {}", said(&answer["action"]), said(&answer["content"]["name"]))
        })
        .await
    }

    #[tool]
    async fn sample(
        &self,
        given: InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let messages = vec![SamplingMessage::user_text("Capital?")];
        let question = CreateMessageRequest::new(CreateMessageRequestParams::new(messages, 10));
        let question = InputRequest::CreateMessage(question);
        ask(question, given, context, |answer| said(&answer["content"]["text"])).await
    }

    #[tool]
    async fn roots(
        &self,
        given: InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let question = InputRequest::ListRoots(ListRootsRequest::default());
        ask(question, given, context, |answer| said(&answer["roots"][0]["uri"])).await
    }

    #[tool]
    async fn touch(&self) -> String {
        let note = ResourceUpdatedNotificationParam::new(self.note());
        let note = ResourceUpdatedNotification::new(note);
        self.tell(ServerNotification::ResourceUpdatedNotification(note)).await;
        "touched".into()
    }

    #[tool]
    async fn grow(&self) -> String {
        self.has_bye.store(true, Ordering::Relaxed);
        let note = ToolListChangedNotification::default();
        self.tell(ServerNotification::ToolListChangedNotification(note)).await;
        "grown".into()
    }

    #[tool]
    fn bye(&self) -> String {
        "Bye".into()
    }
}

#[prompt_router]
impl Server {
    #[prompt]
    fn greet(&self, Parameters(Greeted { who }): Parameters<Greeted>) -> Vec<PromptMessage> {
        vec![PromptMessage::new_text(Role::User, format!("Greet {who}"))]
    }
}

#[tool_handler(router = self.router())]
#[prompt_handler]
impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let offered = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed();
        ServerConfig::new(offered.build()).with_server_info(Implementation::new("rmcp", "1"))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let one = Resource::new(self.note(), "one");
        Ok(ListResourcesResult::with_all_items(vec![one]))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let item = ResourceTemplate::new(format!("note://{}/item/{{id}}", self.name), "item");
        Ok(ListResourceTemplatesResult::with_all_items(vec![item]))
    }

    async fn read_resource(
        &self,
        asked: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let text = match asked.uri.rsplit_once("/item/") {
            Some((_, id)) => format!("item {id}"),
            None => "the note".into(),
        };
        Ok(ReadResourceResult::new(vec![ResourceContents::text(text, asked.uri)]).into())
    }

    async fn complete(
        &self,
        asked: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let begun = asked.argument.value;
        let who = ["Ada", "Alan", "Grace"].into_iter().filter(|one| one.starts_with(&begun));
        let values = CompletionInfo::new(who.map(String::from).collect()).unwrap();
        Ok(CompleteResult::new(values))
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.peers.lock().unwrap().push(context.peer);
    }

    fn accepted_subscription_filter(&self, asked: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(asked.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.sinks.lock().unwrap().push(context.sink().clone());
        context.cancelled().await;
        Ok(())
    }
}

/// Answers with what `say` makes of the client's answer: in 2026-07-28 the client calls again with it.
async fn ask(
    question: InputRequest,
    InputResponses(given): InputResponses,
    context: RequestContext<RoleServer>,
    say: fn(&Value) -> String,
) -> Result<CallToolResponse, ErrorData> {
    let version = context.protocol_version();
    let answer = if let Some(answer) = given.and_then(|mut given| given.remove("asked")) {
        answer
    } else if version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
        let questions = InputRequests::from([("asked".into(), question)]);
        return Ok(InputRequiredResult::from_input_requests(questions).into());
    } else {
        let asked = match question {
            InputRequest::CreateMessage(asked) => ServerRequest::CreateMessageRequest(asked),
            InputRequest::Elicitation(asked) => ServerRequest::ElicitRequest(asked),
            InputRequest::ListRoots(asked) => ServerRequest::ListRootsRequest(asked),
            _ => unreachable!("no tool asks anything else"),
        };
        let answer = context.peer.send_request(asked).await;
        json!(answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))?)
    };
    Ok(CallToolResult::success(vec![ContentBlock::text(say(&answer))]).into())
}

fn said(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

pub async fn serve(args: &[String]) -> Result<(), Failure> {
    let [transport, name, redeployed, ..] = args else {
        return Err("usage: rmcp server <transport> <name> <redeployed>".into());
    };
    let server = Arc::new(Server {
        name: name.clone(),
        has_bye: Path::new(redeployed).exists().into(),
        cancelled: AtomicUsize::new(0),
        peers: Mutex::default(),
        sinks: Mutex::default(),
    });
    if transport == "stdio" {
        server.serve(rmcp::transport::stdio()).await?.waiting().await?;
        return Ok(());
    }
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(LocalSessionManager::default()),
        Default::default(),
    );
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{transport}")).await?;
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}
