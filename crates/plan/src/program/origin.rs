//! A program's requests sent to another address.

use std::sync::Arc;

use super::{Part, Program, Request, Template};

impl Program {
    /// Sends all requests that go where the first one goes to another address, as they are but
    /// for it. `origin` is `http://host:port` without a path; its host may be loaded from then
    /// on. Gives how many requests that were: none where the address of the first cannot be
    /// told from its path before the run, and for JMeter's samplers.
    pub fn send_to(&mut self, origin: &str) -> usize {
        let first = self.requests.first();
        let Some(from) = first.and_then(|first| own_origin(first.base.as_ref(), &first.url)) else {
            return 0;
        };
        let mut sent = 0;
        for request in &mut self.requests {
            let same =
                own_origin(request.base.as_ref(), &request.url).is_some_and(|own| own == from);
            if !same {
                continue;
            }
            let request = Arc::make_mut(request);
            let address = request.base.as_mut().unwrap_or(&mut request.url);
            if let Some((_, path)) = split(address) {
                *address = joined(origin, path);
                sent += 1;
            }
        }
        if sent > 0
            && let Ok(url) = url::Url::parse(origin)
            && let Some(host) = url.host_str()
        {
            let host = format!("{host}:{}", url.port_or_known_default().unwrap_or(80));
            if !self.allowed_hosts.contains(&host) {
                self.allowed_hosts.push(host);
            }
        }
        sent
    }
}

impl Request {
    /// Scheme and authority of its address, as far as they are known before the run.
    #[must_use]
    pub fn known_origin(&self) -> Option<String> {
        let parts = own_origin(self.base.as_ref(), &self.url)?;
        let text = |part: &Part| match part {
            Part::Text(text) => Some(text.to_string()),
            _ => None,
        };
        parts.iter().map(text).collect()
    }
}

fn own_origin(base: Option<&Template>, url: &Template) -> Option<Vec<Part>> {
    split(base.unwrap_or(url)).map(|(origin, _)| origin)
}

/// Scheme and authority, and what follows them; none for what holds both in one variable.
fn split(address: &Template) -> Option<(Vec<Part>, Vec<Part>)> {
    let mut origin = Vec::new();
    let mut knows = false;
    for (at, part) in address.parts.iter().enumerate() {
        let Part::Text(text) = part else {
            origin.push(part.clone());
            continue;
        };
        let scheme = text.find("://").filter(|_| !knows);
        let authority = scheme.map_or(0, |scheme| scheme + 3);
        knows |= scheme.is_some() || at > 0;
        let rest = &text[authority..];
        let Some(end) = rest.find(['/', '?', '#']) else {
            origin.push(part.clone());
            continue;
        };
        let (own, path) = text.split_at(authority + end);
        if !own.is_empty() {
            origin.push(Part::Text(own.into()));
        }
        let mut after = vec![Part::Text(path.into())];
        after.extend(address.parts[at + 1..].iter().cloned());
        return (knows && !origin.is_empty()).then_some((origin, after));
    }
    knows.then_some((origin, Vec::new()))
}

fn joined(origin: &str, mut path: Vec<Part>) -> Template {
    match path.first_mut() {
        Some(Part::Text(text)) => *text = format!("{origin}{text}").into(),
        _ => path.insert(0, Part::Text(origin.into())),
    }
    Template { parts: path }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::{CompileOptions, compile, parse_yaml};

    /// The addresses of the requests after they were sent elsewhere, and how many were.
    fn sent(plan: &str) -> (usize, Vec<String>) {
        let (plan, _) = parse_yaml(plan, "plan.yaml").unwrap();
        let mut program = compile(&plan, &CompileOptions::default()).unwrap();
        let count = program.send_to("http://10.0.0.9:81");
        assert_eq!(
            program.allowed_hosts.contains(&"10.0.0.9:81".to_owned()),
            count > 0
        );
        let show = |part: &super::Part| match part {
            super::Part::Text(text) => text.to_string(),
            _ => "$".to_owned(),
        };
        let urls = program.requests.iter().map(|request| {
            let address = request.base.as_ref().unwrap_or(&request.url);
            address.parts.iter().map(show).collect()
        });
        (count, urls.collect())
    }

    #[test]
    fn requests_of_the_target_go_elsewhere_with_their_paths() {
        let plan = "target: http://front:8080/api\nvariables: {id: 7}\nsteps:\n  - get: /a?b=c\n  \
                    - get: /${id}/x\n  - get: http://other/y\n  - get: http://front:8080/z\n";
        let (count, urls) = sent(plan);
        assert_eq!(count, 3);
        assert_eq!(
            urls,
            [
                "http://10.0.0.9:81/api/a?b=c",
                "http://10.0.0.9:81/api/7/x",
                "http://other/y",
                "http://10.0.0.9:81/z"
            ]
        );
    }

    #[test]
    fn an_address_made_of_variables_is_told_from_its_path() {
        let plan = "data: [{csv: hosts.csv, columns: [host, all]}]\nsteps:\n  \
                    - get: http://${host}/a\n  - get: http://${host}:81/b\n  - get: ${all}\n";
        let (count, urls) = sent(plan);
        assert_eq!(count, 1);
        assert_eq!(urls, ["http://10.0.0.9:81/a", "http://$:81/b", "$"]);
        let whole = "data: [{csv: hosts.csv, columns: [host, all]}]\nsteps:\n  - get: ${all}\n";
        assert_eq!(sent(whole), (0, vec!["$".to_owned()]));
    }
}
