//! Following a link or form of the last page (JMeter 5.6.3, `AnchorModifier` and
//! `HtmlParsingUtils`).

use std::borrow::Cow;

use plimsoll_elements::SampleResult;
use plimsoll_elements::pattern::{Dialect, Pattern};
use scraper::ElementRef;

use super::arguments::{argument, arguments_of, encoded_argument, set_path};
use super::charset::{Charset, decoded};
use super::resources::relative;
use super::sampler::HttpSampler;
use super::settings::{Eval, HttpArgument, Setting};
use super::url::JavaUrl;
use crate::element_user::ElementUser;

/// A link or form.
struct PageLink {
    url: JavaUrl,
    arguments: Vec<HttpArgument>,
    is_form: bool,
}

/// What a sampler wants of a link: its own settings as patterns.
struct WantedLink {
    scheme: String,
    domain: String,
    path: String,
    names: Vec<String>,
}

/// Changes a sampler to follow one of the links that fit it.
pub fn apply(sampler: &mut HttpSampler, last: &SampleResult, user: &mut ElementUser<'_>) {
    let Some(url) = last.url.as_deref().and_then(|url| JavaUrl::parse(url).ok()) else {
        return;
    };
    let wanted = user.evaluate(|cx| wanted(sampler, &mut Eval(Some(cx))));
    let mut links = links_of(&last.text(), &url);
    links.retain(|link| wanted.fits(link));
    if links.is_empty() {
        return;
    }
    let count = links.len() as u64;
    let at = usize::try_from(user.random.bits() % count).unwrap_or(0);
    let mut link = links.swap_remove(at);
    sampler.settings.domain = Setting::fixed(&link.url.host);
    sampler.settings.protocol = Setting::fixed(&link.url.scheme);
    if link.is_form {
        for argument in &mut sampler.settings.arguments {
            replace(argument, &mut link.arguments, user);
        }
    } else {
        sampler.settings.arguments = link.arguments;
    }
    set_path(sampler, &link.url.path.replace(' ', "%20"), user);
}

/// Gives an argument name and value of one of the form's fields that fit it.
fn replace(
    argument: &mut HttpArgument,
    fields: &mut Vec<HttpArgument>,
    user: &mut ElementUser<'_>,
) {
    let of = |user: &mut ElementUser<'_>, argument: &HttpArgument| {
        user.evaluate(|cx| {
            let mut by = Eval(Some(cx));
            let name = by.text(&argument.name).unwrap_or_default().into_owned();
            (
                name,
                by.text(&argument.value).unwrap_or_default().into_owned(),
            )
        })
    };
    let (name, value) = of(user, argument);
    let mut fitting = Vec::new();
    for (number, field) in fields.iter().enumerate() {
        let (own_name, own_value) = of(user, field);
        if is_or_matches(&own_name, &name) && is_or_matches(&own_value, &value) {
            fitting.push(number);
        }
    }
    if fitting.is_empty() {
        return;
    }
    let count = fitting.len() as u64;
    let at = usize::try_from(user.random.bits() % count).unwrap_or(0);
    let field = fields.remove(fitting[at]);
    (argument.name, argument.value) = (field.name, field.value);
}

fn wanted(sampler: &HttpSampler, by: &mut Eval<'_>) -> WantedLink {
    let settings = &sampler.settings;
    let mut text = |setting: &Setting| {
        let text = setting.text(by).map(Cow::into_owned);
        text.unwrap_or_default()
    };
    let (scheme, domain) = (text(&settings.protocol), text(&settings.domain));
    let path = text(&settings.path).replace(' ', "%20");
    let names = settings
        .arguments
        .iter()
        .map(|argument| by.text(&argument.name).unwrap_or_default().into_owned());
    WantedLink {
        scheme: if scheme.is_empty() {
            "http".to_owned()
        } else {
            scheme
        },
        domain,
        path,
        names: names.collect(),
    }
}

fn is_or_matches(text: &str, pattern: &str) -> bool {
    text == pattern
        || Pattern::new(pattern, Dialect::Perl5).is_ok_and(|pattern| pattern.matches(text))
}

impl WantedLink {
    fn fits(&self, link: &PageLink) -> bool {
        let path = link.url.path.replace(' ', "%20");
        if !is_or_matches(&link.url.scheme, &self.scheme)
            || (!self.domain.is_empty() && !is_or_matches(&link.url.host, &self.domain))
            || !(path == self.path || is_or_matches(&path, &format!("[/]*{}", self.path)))
        {
            return false;
        }
        let query = query_of(&link.arguments);
        self.names.iter().all(|name| {
            query.contains(&format!("{name}="))
                || Pattern::new(name, Dialect::Perl5).is_ok_and(|pattern| pattern.is_in(&query))
        })
    }
}

/// The query that these arguments make, decoded.
fn query_of(arguments: &[HttpArgument]) -> String {
    let mut query = String::new();
    for argument in arguments {
        if !query.is_empty() {
            query.push('&');
        }
        for part in [&argument.name, &argument.metadata, &argument.value] {
            query.push_str(part.fixed().unwrap_or_default());
        }
    }
    match decoded(&query, Charset::Utf8) {
        Ok(query) => query.into_owned(),
        Err(_) => query,
    }
}

/// The links of a page: anchors, then forms, then frames.
fn links_of(text: &str, url: &JavaUrl) -> Vec<PageLink> {
    // A page beyond the limits has no links, as one that JMeter's parser refuses.
    let page = text.find('<').map_or(text, |at| &text[at..]);
    let Ok(html) = plimsoll_elements::html::parse(page) else {
        return Vec::new();
    };
    let elements: Vec<ElementRef<'_>> = html
        .root_element()
        .descendants()
        .filter_map(ElementRef::wrap)
        .collect();
    let named = |name: &'static str| {
        let named = elements
            .iter()
            .filter(move |element| element.value().name() == name);
        named.copied()
    };
    let base = named("base").next().and_then(|base| base.attr("href"));
    let base = relative(url, base.unwrap_or_default()).unwrap_or_else(|_| url.clone());
    let link = |written: &str| {
        let url = relative(&base, written).ok()?;
        let arguments = arguments_of(url.query.as_deref().unwrap_or_default(), false);
        Some(PageLink {
            url,
            arguments,
            is_form: false,
        })
    };
    let hrefs = named("a").filter_map(|anchor| anchor.attr("href"));
    let hrefs = hrefs.filter(|href| !href.starts_with("javascript:"));
    let mut links: Vec<PageLink> = hrefs.filter_map(link).collect();
    links.extend(forms(&elements, url));
    let sources = named("frame").filter_map(|frame| frame.attr("src"));
    links.extend(sources.filter_map(link));
    links
}

/// The forms of a page with their fields.
fn forms(elements: &[ElementRef<'_>], url: &JavaUrl) -> Vec<PageLink> {
    let mut forms: Vec<PageLink> = Vec::new();
    let mut within = false;
    let mut select = String::new();
    for element in elements {
        let attribute = |name: &str| element.attr(name).unwrap_or_default();
        if element.value().name() == "form" {
            let action = element
                .attr("action")
                .and_then(|action| relative(url, action).ok());
            within = action.is_some();
            forms.extend(action.map(|url| PageLink {
                arguments: arguments_of(url.query.as_deref().unwrap_or_default(), false),
                url,
                is_form: true,
            }));
            continue;
        }
        let Some(form) = forms.last_mut().filter(|_| within) else {
            continue;
        };
        match element.value().name() {
            "input" => {
                let (name, value) = (attribute("name"), attribute("value"));
                form.arguments.push(encoded_argument(name, value, "="));
            }
            "textarea" => {
                let text: String = element.text().collect();
                let name = attribute("name");
                form.arguments.push(match text.is_empty() {
                    true => argument(name, "", "=", true),
                    false => encoded_argument(name, &text, "="),
                });
            }
            "select" => attribute("name").clone_into(&mut select),
            "option" => {
                let value = attribute("value");
                form.arguments.push(encoded_argument(&select, value, "="));
            }
            _ => {}
        }
    }
    forms
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn the_links_of_a_page_and_those_that_fit() {
        let page = r#"x<html><a href="/a?id=1&x=2">1</a><a href="b/c">2</a><a name=n>3</a>
            <a href="javascript:x()">4</a><form action="/post?z=1"><input name=u value=v>
            <textarea name=t>a+b</textarea><select name=s><option value=o></select></form>
            <form><input name=lost></form>"#;
        let links = links_of(page, &JavaUrl::parse("http://h:81/d/e").unwrap());
        let shown: Vec<String> = links
            .iter()
            .map(|link| {
                format!(
                    "{} {} {}",
                    link.is_form,
                    link.url.path,
                    query_of(&link.arguments)
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                "false /a id=1&x=2",
                "false /d/b/c ",
                "true /post z=1&u=v&t=a b&s=o"
            ]
        );
        let wanted = |domain: &str, path: &str, names: &[&str]| {
            let wanted = WantedLink {
                scheme: "http".to_owned(),
                domain: domain.to_owned(),
                path: path.to_owned(),
                names: names.iter().map(|name| (*name).to_owned()).collect(),
            };
            links
                .iter()
                .map(|link| wanted.fits(link))
                .collect::<Vec<_>>()
        };
        assert_eq!(wanted("h", ".*", &[]), [true, true, true]);
        assert_eq!(wanted("", "a", &["id"]), [true, false, false]);
        assert_eq!(wanted("other", ".*", &[]), [false; 3]);
        assert_eq!(wanted("h", ".*", &["u", "[st]"]), [false, false, true]);
    }
}
