//! HTTP requests.

use plimsoll_text::Message;

use super::Decoder;
use super::json_body::json_text;
use crate::error::Problem;
use crate::model::{
    Block, Body, HttpRequest, MultipartPart, PartContent, Scope, Step, StepKind, Text,
};
use crate::yaml::node::Node;
use crate::yaml::table::METHODS;

impl Decoder<'_> {
    /// A request step.
    pub(super) fn request(&mut self, node: &Node) -> StepKind {
        let (method, url) = self.request_line(node);
        self.check_request_url(&url);
        let mut request = HttpRequest::new(method, url, node.at);
        request.label = self.text(node, "label");
        request.query = self.pairs(node, "query");
        request.headers = self.pairs(node, "headers");
        request.body = self.body(node);
        request.settings = self.settings(node);
        request.settings.target = self.text(node, "target");
        request.before = self.processors(node, "before");
        request.think = self.pause(node, "think");
        request.save = self.saves(node);
        request.after = self.processors(node, "after");
        request.checks = self.checks(node);
        request.any_status_ok = self.bool(node, "any-status").unwrap_or(false);
        request.discard = self.bool(node, "discard").unwrap_or(false);
        let Some(on_error) = self.on_error(node) else {
            return StepKind::Http(Box::new(request));
        };
        let scope = Scope {
            on_error: Some(on_error),
            ..Scope::default()
        };
        let steps = vec![Step::new(StepKind::Http(Box::new(request)), node.at)];
        StepKind::Block(Block { scope, steps })
    }

    fn request_line(&mut self, node: &Node) -> (Text, Text) {
        if let Some(line) = node.get("request") {
            let method = self.text(line, "method").unwrap_or_default();
            return (method, self.text(line, "url").unwrap_or_default());
        }
        for method in METHODS {
            let Some(url) = self.text(node, method) else {
                continue;
            };
            let at = node
                .map()
                .and_then(|entries| entries.iter().find(|(key, _)| key.name == *method))
                .map_or(node.at, |(key, _)| key.at);
            return (
                Text {
                    raw: method.to_uppercase(),
                    at,
                },
                url,
            );
        }
        self.broken(node);
        (Text::default(), Text::default())
    }

    /// An address that can be none whatever its variables hold.
    fn check_request_url(&mut self, url: &Text) {
        let raw = url.raw.as_str();
        let absolute = raw.starts_with("http://") || raw.starts_with("https://");
        let relative = raw.starts_with(['/', '?']) || raw.starts_with("${");
        let fixed = absolute && !raw.contains("${");
        let wrong = (!absolute && !relative) || (fixed && url::Url::parse(raw).is_err());
        if wrong && !raw.is_empty() {
            let message =
                Message::new("plan-bad-request-url").with("url", crate::yaml::check::shown(raw));
            let remedy = Message::new("plan-bad-request-url.remedy");
            self.problems
                .push(Problem::error(url.at, message).remedy(remedy));
        }
    }

    fn body(&mut self, node: &Node) -> Body {
        let content_type = self.string(node, "content-type");
        let typed = |usual: &str| Some(content_type.clone().unwrap_or_else(|| usual.to_owned()));
        if let Some(json) = node.get("json") {
            let text = Text {
                raw: json_text(json, !self.any_name),
                at: json.at,
            };
            return Body::Text {
                text,
                content_type: typed("application/json"),
            };
        }
        if let Some(text) = self.text(node, "body") {
            return Body::Text { text, content_type };
        }
        if let Some(path) = self.text(node, "file") {
            return Body::File { path, content_type };
        }
        let unused = content_type.is_some();
        let body = if node.get("form").is_some() {
            Body::Form(self.pairs(node, "form"))
        } else if node.get("multipart").is_some() {
            Body::Multipart(self.multipart(node))
        } else {
            Body::Empty
        };
        if unused {
            let at = node.get("content-type").map_or(node.at, |node| node.at);
            self.error(at, "plan-content-type-unused");
        }
        body
    }

    fn multipart(&mut self, node: &Node) -> Vec<MultipartPart> {
        let entries = self
            .value(node, "multipart", Node::map_entries)
            .unwrap_or_default();
        let parts = entries.iter().map(|(name, value)| {
            let content = match value.map() {
                None => PartContent::Text(value.text().unwrap_or_default()),
                Some(_) => match self.text(value, "file") {
                    Some(path) => PartContent::File {
                        path,
                        file_name: self.text(value, "file-name"),
                    },
                    None => PartContent::Text(self.text(value, "text").unwrap_or_default()),
                },
            };
            MultipartPart {
                name: Text {
                    raw: name.name.clone(),
                    at: name.at,
                },
                content,
                content_type: self.string(value, "content-type"),
            }
        });
        parts.collect()
    }

    /// The block of an object's own steps under a key, with the object's scope.
    pub(super) fn block(&mut self, node: &Node, steps_key: &str) -> Block {
        Block {
            scope: self.scope(node, true),
            steps: self.steps(node, steps_key),
        }
    }
}
