//! How JMeter's PerfMon plugin asks an agent for a metric, and what it calls it (jmeter-plugins-perfmon 2.1,
//! `PerfMonCollector`).

/// A metric as the plugin has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PerfMonMetric {
    /// Its kind and parameters, as the agent is asked for it: `cpu:combined`.
    pub asked: String,
    /// What it is called in results: `db1 CPU combined`.
    pub label: String,
    /// The kind: `cpu`.
    pub kind: String,
    /// Its parameters, without the label.
    pub parameters: String,
}

impl PerfMonMetric {
    /// `CPU:combined` of an agent on a host; `label=` among the parameters is its name.
    #[must_use]
    pub fn new(text: &str, host: &str) -> Self {
        let (kind, parameters) = text.split_once(':').unwrap_or((text, ""));
        let pieces = pieces(parameters);
        let named = pieces.iter().rev().find_map(|it| it.strip_prefix("label="));
        let (label, parameters) = match named.filter(|label| !label.is_empty()) {
            Some(named) => {
                let others = pieces.iter().filter(|it| !it.starts_with("label="));
                let others: Vec<&str> = others.map(String::as_str).collect();
                (format!("{host} {kind} {named}"), others.join(":"))
            }
            None if parameters.is_empty() => (format!("{host} {kind}"), String::new()),
            None => (format!("{host} {kind} {parameters}"), parameters.to_owned()),
        };
        let kind = kind.to_lowercase();
        Self {
            asked: format!("{kind}:{parameters}"),
            label,
            kind,
            parameters,
        }
    }

    /// The metrics of a text, one a line. A label counts once, with its last metric.
    #[must_use]
    pub fn all(text: &str, host: &str) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        let lines = text.split(['\n', '\t']).map(str::trim);
        let metrics = lines.filter(|line| !line.is_empty());
        for metric in metrics.map(|line| Self::new(line, host)) {
            match all.iter_mut().find(|known| known.label == metric.label) {
                Some(known) => *known = metric,
                None => all.push(metric),
            }
        }
        all
    }

    /// Its parameters, one by one.
    #[must_use]
    pub fn pieces(&self) -> Vec<String> {
        pieces(&self.parameters)
    }
}

/// Parameters, apart by colons that no backslash stands before.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut before = ' ';
    for c in text.chars() {
        match (c, pieces.last_mut()) {
            (':', _) if before != '\\' => pieces.push(String::new()),
            (c, Some(last)) => last.push(c),
            (_, None) => {}
        }
        before = c;
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_asked_for_and_called_as_the_plugin_does() {
        for (text, asked, label) in [
            ("CPU", "cpu:", "db1 CPU"),
            ("CPU:core=2:user", "cpu:core=2:user", "db1 CPU core=2:user"),
            (
                "Memory:unit=mb:label=in use:used",
                "memory:unit=mb:used",
                "db1 Memory in use",
            ),
            (
                "EXEC:/bin/sh:-c:date +%s\\:x",
                "exec:/bin/sh:-c:date +%s\\:x",
                "db1 EXEC /bin/sh:-c:date +%s\\:x",
            ),
            ("TCP:label=", "tcp:label=", "db1 TCP label="),
        ] {
            let metric = PerfMonMetric::new(text, "db1");
            assert_eq!((&*metric.asked, &*metric.label), (asked, label), "{text}");
        }
        assert_eq!(pieces("a\\:b:c::d"), ["a\\:b", "c", "d"]);
    }

    #[test]
    fn a_label_counts_once() {
        let all = PerfMonMetric::all("CPU\n\nMemory:label=a:used\tMemory:label=a:free\n", "h");
        let asked: Vec<&str> = all.iter().map(|metric| metric.asked.as_str()).collect();
        assert_eq!(asked, ["cpu:", "memory:free"]);
    }
}
