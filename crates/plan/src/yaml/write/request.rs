//! HTTP requests.

use super::emit::{Map, Yaml};
use super::time::pause;
use super::{responses, scope};
use crate::model::{Body, Extract, HttpRequest, MultipartPart, PartContent, Processor};
use crate::yaml::table::METHODS;

pub(super) fn request(request: &HttpRequest) -> Map {
    let mut map = Map::default();
    let method = METHODS
        .iter()
        .find(|known| known.to_uppercase() == request.method.raw);
    match method {
        Some(method) => map.put(*method, &request.url),
        None => {
            let mut line = Map::default();
            line.put("method", &request.method);
            line.put("url", &request.url);
            map.put("request", line);
        }
    }
    map.put_some("label", request.label.as_ref());
    map.put_map("query", scope::pairs(&request.query));
    map.put_map("headers", scope::pairs(&request.headers));
    body(&request.body, &mut map);
    scope::settings_keys(&request.settings, &mut map);
    map.put_some("think", request.think.as_ref().map(pause));
    map.put_list("before", scope::processors(&request.before));
    let mut after = Vec::new();
    match unique(&request.save) {
        true => map.put_map(
            "save",
            responses::saves(&request.save.iter().collect::<Vec<_>>()),
        ),
        // One variable twice: a mapping cannot say that.
        false => {
            let all = request.save.iter().cloned().map(Processor::Extract);
            after = scope::processors(&all.collect::<Vec<_>>());
        }
    }
    after.extend(scope::processors(&request.after));
    map.put_list("after", after);
    map.put_list("check", responses::checks(&request.checks));
    map.put_bool("any-status", request.any_status_ok, false);
    map.put_bool("discard", request.discard, false);
    map
}

fn unique(saves: &[Extract]) -> bool {
    let mut names: Vec<&str> = saves.iter().map(|save| save.variable.as_str()).collect();
    names.sort_unstable();
    names.windows(2).all(|pair| pair[0] != pair[1])
}

fn body(body: &Body, map: &mut Map) {
    match body {
        Body::Empty => {}
        Body::Text { text, content_type } => {
            map.put("body", text);
            map.put_some("content-type", content_type.as_ref());
        }
        Body::File { path, content_type } => {
            map.put("file", path);
            map.put_some("content-type", content_type.as_ref());
        }
        Body::Form(fields) => map.put("form", scope::pairs(fields)),
        Body::Multipart(parts) => {
            let mut all = Map::default();
            for each in parts {
                all.put(each.name.raw.as_str(), part(each));
            }
            map.put("multipart", all);
        }
    }
}

fn part(part: &MultipartPart) -> Yaml {
    let mut map = Map::default();
    match &part.content {
        PartContent::Text(text) => map.put("text", text),
        PartContent::File { path, file_name } => {
            map.put("file", path);
            map.put_some("file-name", file_name.as_ref());
        }
    }
    map.put_some("content-type", part.content_type.as_ref());
    let only_text = matches!(part.content, PartContent::Text(_)) && part.content_type.is_none();
    match (only_text, map.0.pop()) {
        (true, Some((_, text))) => text,
        (_, last) => {
            map.0.extend(last);
            map.into()
        }
    }
}
