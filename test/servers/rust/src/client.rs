//! A client that takes every step once; see ../../programs/ts1Client.ts for its arguments and output.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::*;
use rmcp::service::{NotificationContext, RequestContext, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::Failure;

const STEP_TIME: Duration = Duration::from_secs(5);
const NOTE_TIME: Duration = Duration::from_secs(3);
const POLL_TIME: Duration = Duration::from_millis(20);
/// How long a call runs before it is cancelled.
const WAIT_TIME: Duration = Duration::from_millis(200);

/// Collected while others wait for them.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    fn add(&self, note: String) {
        self.0.lock().unwrap().push(note);
    }

    /// Removes them.
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    async fn first(&self) -> Result<String, Failure> {
        let come = async {
            loop {
                if let Some(note) = self.take().into_iter().next() {
                    break note;
                }
                sleep(POLL_TIME).await;
            }
        };
        Ok(timeout(NOTE_TIME, come).await.unwrap_or("nothing came".into()))
    }
}

#[derive(Clone, Default)]
struct Handler {
    logged: Notes,
    updated: Notes,
    progress: Notes,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder()
            .enable_elicitation_with(ElicitationCapability::new().with_form(Default::default()))
            .enable_roots()
            .enable_sampling();
        ClientConfig::new(capabilities.build(), Implementation::new("rmcp", "1"))
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({ "name": "Ada" })))
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        Ok(CreateMessageResult::new(SamplingMessage::assistant_text("Paris"), "scripted".into()))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(vec![Root::new("file:///home/ada")]))
    }

    async fn on_progress(&self, note: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.progress.add(format!("{}/{}", note.progress, note.total.unwrap_or(0.0)));
    }

    async fn on_logging_message(&self, note: LoggingMessageNotificationParam, _: NotificationContext<RoleClient>) {
        self.logged.add(format!("{} {}", json!(note.level).as_str().unwrap_or(""), note.data));
    }

    async fn on_resource_updated(&self, note: ResourceUpdatedNotificationParam, _: NotificationContext<RoleClient>) {
        self.updated.add(note.uri);
    }
}

struct Walker {
    service: RunningService<RoleClient, Handler>,
    prefix: String,
}

impl Walker {
    async fn connect(url: &str, prefix: &str) -> Result<Self, Failure> {
        let lifecycle =
            ClientLifecycleMode::Auto { preferred_versions: vec![ProtocolVersion::V_2026_07_28], legacy_version: None };
        let transport = StreamableHttpClientTransport::from_uri(url);
        let service = Handler::default().serve_with_lifecycle(transport, lifecycle).await?;
        Ok(Self { service, prefix: prefix.into() })
    }

    /// In 2026-07-28 each request says for itself which messages it wants, and there is no ping.
    fn is_modern(&self) -> bool {
        let peer = self.service.peer_info();
        peer.is_some_and(|peer| peer.protocol_version >= ProtocolVersion::V_2026_07_28)
    }

    /// Calls the tool of the server, or through Pegboard.
    async fn call(&self, tool: &str, args: Value) -> Result<CallToolResult, Failure> {
        let (name, args) = match self.prefix.as_str() {
            "" => (tool.to_owned(), args),
            prefix => {
                let name = format!("{prefix}{tool}");
                ("call_tool".into(), json!({ "name": name, "arguments": args }))
            }
        };
        let mut params = CallToolRequestParams::new(name).with_arguments(object(args));
        if self.is_modern() {
            params.meta.get_or_insert_default().set_log_level(LoggingLevel::Info);
        }
        Ok(self.service.call_tool(params).await?)
    }

    async fn told(&self, tool: &str, args: Value) -> Result<String, Failure> {
        let result = self.call(tool, args).await?;
        let text = result.content.first().and_then(ContentBlock::as_text);
        let text = text.map(|item| item.text.clone()).unwrap_or_default();
        Ok(if result.is_error == Some(true) { format!("error: {text}") } else { text })
    }

    async fn cancel(&self) -> Result<String, Failure> {
        let before = self.told("cancelled", json!({})).await?;
        let _ = timeout(WAIT_TIME, self.call("wait", json!({}))).await;
        let reached = async {
            while self.told("cancelled", json!({})).await? == before {
                sleep(POLL_TIME).await;
            }
            Ok("1 reached it".into())
        };
        timeout(NOTE_TIME, reached).await.unwrap_or(Ok("nothing reached it".into()))
    }

    async fn set_level(&self) -> Result<(), Failure> {
        let level = SetLevelRequestParams::new(LoggingLevel::Info);
        Ok(self.service.set_level(level).await?)
    }

    async fn read(&self, uri: String) -> Result<String, Failure> {
        let result = self.service.read_resource(ReadResourceRequestParams::new(uri)).await?;
        match result.contents.into_iter().next() {
            Some(ResourceContents::TextResourceContents { text, .. }) => Ok(text),
            _ => Err("not a text".into()),
        }
    }

    async fn subscribe(&self, uri: String) -> Result<(), Failure> {
        if !self.is_modern() {
            return Ok(self.service.subscribe(SubscribeRequestParams::new(uri)).await?);
        }
        let filter = SubscriptionFilter::builder().resource_subscription(uri).build();
        let mut subscription = self.service.listen(filter).await?;
        let updated = self.service.service().updated.clone();
        // The handler does not get what a subscription gets.
        tokio::spawn(async move {
            while let Ok(Some(note)) = subscription.next().await {
                if let ServerNotification::ResourceUpdatedNotification(note) = note {
                    updated.add(note.params.uri);
                }
            }
        });
        Ok(())
    }

    async fn prompt(&self, name: String) -> Result<String, Failure> {
        let args = object(json!({ "who": "Ada" }));
        let result = self.service.get_prompt(GetPromptRequestParams::new(name).with_arguments(args)).await?;
        let text = result.messages.first().and_then(|message| message.content.as_text());
        Ok(text.ok_or("not a text")?.text.clone())
    }

    async fn ping(&self) -> Result<String, Failure> {
        if self.is_modern() {
            self.service.list_prompts(None).await?;
        } else {
            self.service.send_request(ClientRequest::PingRequest(Default::default())).await?;
        }
        Ok("answered".into())
    }
}

/// What was seen, by step.
#[derive(Default)]
struct Seen(BTreeMap<&'static str, String>);

impl Seen {
    async fn step(&mut self, title: &'static str, taken: impl Future<Output = Result<String, Failure>>) {
        let said = match timeout(STEP_TIME, taken).await {
            Ok(Ok(said)) => said,
            Ok(Err(error)) => format!("failed: {error}"),
            Err(_) => "failed: nothing came".into(),
        };
        self.0.insert(title, said);
    }
}

pub async fn walk(args: &[String]) -> Result<(), Failure> {
    let [url, name, rest @ ..] = args else {
        return Err("usage: rmcp client <url> <name> [<prefix>]".into());
    };
    let prefix = rest.first().map_or("", String::as_str);
    let note = format!("note://{name}/one");
    let greet = format!("{prefix}greet");
    let mut seen = Seen::default();
    let mut walker = None;
    let connecting = async {
        walker = Some(Walker::connect(url, prefix).await?);
        Ok("connected".into())
    };
    seen.step("initialize", connecting).await;
    let Some(walker) = walker else {
        println!("{}", json!(seen.0));
        return Ok(());
    };
    let notes = walker.service.service().clone();
    seen.step("text", walker.told("echo", json!({ "message": "there" }))).await;
    seen.step("image", async {
        let result = walker.call("image", json!({})).await?;
        let image = result.content.first().and_then(ContentBlock::as_image).ok_or("not an image")?;
        Ok(format!("{} {}", image.mime_type, image.data.len()))
    })
    .await;
    seen.step("structured", async {
        let result = walker.call("structured", json!({ "a": 2, "b": 3 })).await?;
        Ok(json!(result.structured_content).to_string())
    })
    .await;
    seen.step("isError", walker.told("fail", json!({}))).await;
    seen.step("bad arguments", async {
        let result = walker.call("echo", json!({ "message": { "no": "text" } })).await;
        let is_accepted = result.is_ok_and(|result| result.is_error != Some(true));
        Ok(if is_accepted { "accepted" } else { "refused" }.into())
    })
    .await;
    seen.step("progress", async {
        notes.progress.take();
        walker.call("slow", json!({})).await?;
        Ok(notes.progress.take().join(" "))
    })
    .await;
    seen.step("logging", async {
        // Servers that do not let the level be set log anyway.
        if !walker.is_modern() {
            let _ = walker.set_level().await;
        }
        walker.call("log", json!({})).await?;
        notes.logged.first().await
    })
    .await;
    seen.step("elicitation", walker.told("elicit", json!({}))).await;
    seen.step("sampling", walker.told("sample", json!({}))).await;
    seen.step("roots", walker.told("roots", json!({}))).await;
    seen.step("cancel", walker.cancel()).await;
    seen.step("read", walker.read(note.clone())).await;
    seen.step("template", walker.read(format!("note://{name}/item/7"))).await;
    seen.step("subscribe", async {
        walker.subscribe(note).await?;
        walker.call("touch", json!({})).await?;
        notes.updated.first().await
    })
    .await;
    seen.step("prompt", walker.prompt(greet.clone())).await;
    seen.step("completion", async {
        let values = walker.service.complete_prompt_simple(greet, "who", "A").await?;
        Ok(values.join(" "))
    })
    .await;
    seen.step("ping", walker.ping()).await;
    seen.step("end", async {
        walker.service.cancel().await?;
        Ok("ended".into())
    })
    .await;
    println!("{}", json!(seen.0));
    Ok(())
}
