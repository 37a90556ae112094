//! A user's cookies as scripts see and change them: as the collection of JMeter's cookie manager,
//! which holds what servers have set beside the plan's own.

use plimsoll_elements::{Evaluated, EvaluatedValue};

use super::cookies::{Cookie, Jar};

const CLASS: &str = "CookieManager";
const COOKIES: &str = "CookieManager.cookies";
/// Where a sampler has its manager.
const OF_SAMPLER: &str = "HTTPSampler.cookie_manager";

/// Whether an element is a cookie manager.
#[must_use]
pub fn is_manager(element: &Evaluated) -> bool {
    element.class == CLASS
}

/// The cookies that a sampler has after a script, if they are not those of its manager.
#[must_use]
pub fn changed<'n>(manager: &Evaluated, sampler: &'n Evaluated) -> Option<&'n [EvaluatedValue]> {
    let now = list(sampler.element(OF_SAMPLER)?);
    let before = list(manager);
    let same = now.len() == before.len() && now.iter().map(said).eq(before.iter().map(said));
    (!same).then_some(now)
}

fn list(manager: &Evaluated) -> &[EvaluatedValue] {
    match manager.get(COOKIES) {
        Some(EvaluatedValue::List(cookies)) => cookies,
        _ => &[],
    }
}

/// What tells cookies apart: name, domain, path and value.
fn said(cookie: &EvaluatedValue) -> Option<[&str; 4]> {
    let EvaluatedValue::Element(cookie) = cookie else {
        return None;
    };
    let text = |name: &str| cookie.text(name);
    Some([
        &cookie.name,
        text("Cookie.domain"),
        text("Cookie.path"),
        text("Cookie.value"),
    ])
}

impl Jar {
    /// Puts the user's cookies into a manager with those of the plan.
    pub fn show(&self, manager: &mut Evaluated) {
        if !self.begun {
            return;
        }
        let of_plan = list(manager).to_vec();
        let shown = self.cookies.iter().map(|cookie| {
            let own = cookie.defined.and_then(|number| of_plan.get(number));
            own.cloned().unwrap_or_else(|| cookie.show())
        });
        let shown = EvaluatedValue::List(shown.collect());
        match manager
            .properties
            .iter_mut()
            .find(|(name, _)| name == COOKIES)
        {
            Some((_, cookies)) => *cookies = shown,
            None => manager.properties.push((COOKIES.to_owned(), shown)),
        }
    }

    /// Takes over the cookies that a script left; `before` is what it was shown.
    pub fn take(&mut self, before: &Evaluated, left: &[EvaluatedValue]) {
        let before: Vec<_> = list(before).iter().map(said).collect();
        let known = std::mem::take(&mut self.cookies);
        for cookie in left {
            let Some(now) = Cookie::of(cookie) else {
                continue;
            };
            // The plan's own value may change from request to request.
            let same = |it: &&Cookie| {
                let value = match it.defined {
                    Some(_) => before.contains(&said(cookie)),
                    None => it.value == now.value,
                };
                value && it.name == now.name && it.domain == now.domain && it.path == now.path
            };
            let kept = known.iter().find(same).cloned();
            self.cookies.push(kept.unwrap_or(now));
        }
        self.begun = true;
    }
}

impl Cookie {
    fn show(&self) -> EvaluatedValue {
        let text =
            |name: &str, value: &str| (name.to_owned(), EvaluatedValue::Text(value.to_owned()));
        let truth = |name: &str, value: bool| text(name, &value.to_string());
        EvaluatedValue::Element(Evaluated {
            class: "Cookie".to_owned(),
            name: self.name.clone(),
            properties: vec![
                text("Cookie.value", &self.value),
                text("Cookie.domain", &self.domain),
                text("Cookie.path", &self.path),
                truth("Cookie.secure", self.secure),
                text("Cookie.expires", "0"),
                truth("Cookie.path_specified", self.path_said),
                truth("Cookie.domain_specified", self.wide),
            ],
        })
    }

    /// A cookie of a script's.
    fn of(cookie: &EvaluatedValue) -> Option<Self> {
        let EvaluatedValue::Element(cookie) = cookie else {
            return None;
        };
        Some(Self {
            name: cookie.name.clone(),
            value: cookie.text("Cookie.value").to_owned(),
            defined: None,
            domain: cookie.text("Cookie.domain").to_ascii_lowercase(),
            path: cookie.text("Cookie.path").to_owned(),
            secure: cookie.truth("Cookie.secure", false),
            wide: cookie.truth("Cookie.domain_specified", true),
            path_said: cookie.truth("Cookie.path_specified", true),
            goes: true,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn manager(cookies: Vec<EvaluatedValue>) -> Evaluated {
        Evaluated {
            class: CLASS.to_owned(),
            properties: vec![(COOKIES.to_owned(), EvaluatedValue::List(cookies))],
            ..Evaluated::default()
        }
    }

    fn cookie(name: &str, value: &str) -> Cookie {
        let text = |value: &str| EvaluatedValue::Text(value.to_owned());
        let properties = vec![
            ("Cookie.value".to_owned(), text(value)),
            ("Cookie.domain".to_owned(), text("h")),
            ("Cookie.path".to_owned(), text("/")),
        ];
        Cookie::of(&EvaluatedValue::Element(Evaluated {
            class: "Cookie".to_owned(),
            name: name.to_owned(),
            properties,
        }))
        .unwrap()
    }

    fn names(jar: &Jar) -> String {
        let each = jar
            .cookies
            .iter()
            .map(|it| format!("{}={} ", it.name, it.value));
        each.collect()
    }

    #[test]
    fn scripts_see_all_cookies_and_what_they_leave_counts() {
        let mut jar = Jar::default();
        let mut shown = manager(vec![cookie("plan", "1").show()]);
        jar.show(&mut shown);
        assert_eq!(
            list(&shown).len(),
            1,
            "the plan's own, before the first request"
        );
        jar.begun = true;
        let of_plan = Cookie {
            defined: Some(0),
            ..cookie("plan", "")
        };
        jar.cookies = vec![of_plan, cookie("server", "2")];
        jar.show(&mut shown);
        let mut left = list(&shown).to_vec();
        assert_eq!(said(&left[0]).unwrap()[3], "1");
        let sampler = |cookies| Evaluated {
            properties: vec![(
                OF_SAMPLER.to_owned(),
                EvaluatedValue::Element(manager(cookies)),
            )],
            ..Evaluated::default()
        };
        assert_eq!(changed(&shown, &sampler(left.clone())), None);
        left.push(cookie("script", "3").show());
        let now = sampler(left);
        jar.take(&shown, changed(&shown, &now).unwrap());
        assert_eq!(names(&jar), "plan= server=2 script=3 ");
        assert_eq!(jar.cookies[0].defined, Some(0), "still as the plan has it");
        let mut again = manager(vec![cookie("plan", "1").show()]);
        jar.show(&mut again);
        jar.take(&again, changed(&again, &sampler(Vec::new())).unwrap());
        assert_eq!(names(&jar), "");
    }
}
