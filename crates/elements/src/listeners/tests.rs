//! Result files against their layout in JMeter 5.6.3 (seen in files that it wrote of plans of
//! our own).

use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::context::{Context, Properties};
use crate::evaluated::{Evaluated, EvaluatedValue};
use crate::result::{AssertionResult, DataType, SampleResult};

const ALL_FLAGS: &[&str] = &[
    "time",
    "latency",
    "timestamp",
    "success",
    "label",
    "code",
    "message",
    "threadName",
    "dataType",
    "encoding",
    "assertions",
    "subresults",
    "responseData",
    "samplerData",
    "xml",
    "fieldNames",
    "responseHeaders",
    "requestHeaders",
    "saveAssertionResultsFailureMessage",
    "bytes",
    "sentBytes",
    "url",
    "fileName",
    "hostname",
    "threadCounts",
    "sampleCount",
    "idleTime",
    "connectTime",
];

struct Run {
    folder: tempfile::TempDir,
    surroundings: Surroundings,
}

fn run(properties: &[(&str, &str)]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let surroundings = Surroundings {
        access: plimsoll_access::Access::of_user(),
        properties: Properties::new(properties.iter().map(owned)),
        folder: folder.path().to_owned(),
        plan_folder: folder.path().join("plans"),
        host: "here".to_owned(),
        time_zone: Some("UTC".to_owned()),
        ..Surroundings::default()
    };
    Run {
        folder,
        surroundings,
    }
}

impl Run {
    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap()
    }

    fn collector(&self, file: &str, flags: &[&str]) -> Box<dyn Listener> {
        let made = collector::make(&element(file, flags, &[]), &self.surroundings);
        made.unwrap().unwrap()
    }
}

fn text(value: &str) -> EvaluatedValue {
    EvaluatedValue::Text(value.to_owned())
}

fn element(file: &str, flags: &[&str], more: &[(&str, &str)]) -> Evaluated {
    let flags = flags.iter().map(|flag| ((*flag).to_owned(), text("true")));
    let config = Evaluated {
        class: "SampleSaveConfiguration".to_owned(),
        name: String::new(),
        properties: flags.collect(),
    };
    let mut properties = vec![
        ("saveConfig".to_owned(), EvaluatedValue::Element(config)),
        ("filename".to_owned(), text(file)),
    ];
    properties.extend(
        more.iter()
            .map(|(name, value)| ((*name).to_owned(), text(value))),
    );
    Evaluated {
        class: "ResultCollector".to_owned(),
        name: "collector".to_owned(),
        properties,
    }
}

fn event(result: SampleResult, variables: &[Option<&str>]) -> SampleEvent {
    SampleEvent {
        result: Arc::new(result),
        group: "group".into(),
        variables: variables
            .iter()
            .map(|value| value.map(str::to_owned))
            .collect(),
        transaction: false,
        told_before: None,
    }
}

/// A sample of each kind of content.
fn java_sample() -> SampleResult {
    SampleResult {
        message: "said \"so\", twice".to_owned(),
        thread_name: "group 1-1".to_owned(),
        start_unix_ms: 1_772_719_629_045,
        end_unix_ms: 1_772_719_629_050,
        elapsed_ms: 5,
        latency_ms: 3,
        connect_ms: 1,
        data_type: DataType::Text,
        encoding: Some("UTF-8".to_owned()),
        body: "é €😀\t\"q\" 'a' \u{1}\r".as_bytes().to_vec(),
        sampler_data: Some("one\n<two>".to_owned()),
        received_bytes: 28,
        sent_bytes: 15,
        group_threads: 2,
        all_threads: 7,
        assertions: vec![
            AssertionResult {
                name: "first & good".to_owned(),
                ..AssertionResult::default()
            },
            AssertionResult {
                name: "second".to_owned(),
                failure: true,
                message: Some("Test failed: text expected to contain /nope</".to_owned()),
                ..AssertionResult::default()
            },
        ],
        ..SampleResult::new("jav\ta <\"'&\nx")
    }
}

#[test]
fn xml_has_jmeters_layout() {
    let run = run(&[("sample_variables", "x,y")]);
    let mut collector = run.collector("all.xml", ALL_FLAGS);
    collector.sample(&event(java_sample(), &[Some("a<b"), None]));
    assert!(collector.end().is_empty());
    let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testResults version="1.2">
<sample t="5" it="0" lt="3" ct="1" ts="1772719629045" s="false" lb="jav&#x9;a &lt;&quot;&apos;&amp;&#xa;x" rc="" rm="said &quot;so&quot;, twice" tn="group 1-1" dt="text" de="UTF-8" by="28" sby="15" sc="1" ec="1" ng="2" na="7" hn="here" x="a&lt;b" y="">
  <assertionResult>
    <name>first &amp; good</name>
    <failure>false</failure>
    <error>false</error>
  </assertionResult>
  <assertionResult>
    <name>second</name>
    <failure>true</failure>
    <error>false</error>
    <failureMessage>Test failed: text expected to contain /nope&lt;/</failureMessage>
  </assertionResult>
  <responseHeader class="java.lang.String"/>
  <requestHeader class="java.lang.String"/>
  <responseData class="java.lang.String">é €😀	&quot;q&quot; &apos;a&apos; &#x1;&#xd;</responseData>
  <responseFile class="java.lang.String"/>
  <samplerData class="java.lang.String">one
&lt;two&gt;</samplerData>
</sample>

</testResults>
"#;
    assert_eq!(run.text("all.xml"), expected);
}

#[test]
fn xml_nests_the_parts_of_a_transaction() {
    let run = run(&[]);
    let mut collector = run.collector(
        "t.xml",
        &[
            "xml",
            "label",
            "subresults",
            "responseData",
            "url",
            "samplerData",
            "success",
        ],
    );
    let http = SampleResult {
        http: true,
        success: true,
        method: "GET".to_owned(),
        url: Some("http://a/?b=1&c=2".to_owned()),
        data_type: DataType::Binary,
        ..SampleResult::new("page")
    };
    let without_url = SampleResult {
        url: None,
        redirect_location: "/there".to_owned(),
        parts: vec![SampleResult::new("deep")],
        ..http.clone()
    };
    let transaction = SampleResult {
        parts: vec![http, without_url],
        success: true,
        ..SampleResult::new("TC")
    };
    collector.sample(&event(transaction, &[]));
    assert!(collector.end().is_empty());
    let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testResults version="1.2">
<sample s="true" lb="TC">
  <httpSample s="true" lb="page">
    <responseData class="java.lang.String">Non-TEXT response data, cannot record: (bin)</responseData>
    <cookies class="java.lang.String"/>
    <method class="java.lang.String">GET</method>
    <queryString class="java.lang.String"/>
    <java.net.URL>http://a/?b=1&amp;c=2</java.net.URL>
  </httpSample>
  <httpSample s="true" lb="page">
    <sample s="false" lb="deep">
      <responseData class="java.lang.String">Non-TEXT response data, cannot record: ()</responseData>
    </sample>
    <responseData class="java.lang.String">Non-TEXT response data, cannot record: (bin)</responseData>
    <cookies class="java.lang.String"/>
    <method class="java.lang.String">GET</method>
    <queryString class="java.lang.String"/>
    <redirectLocation class="java.lang.String">/there</redirectLocation>
    <null/>
  </httpSample>
  <responseData class="java.lang.String">Non-TEXT response data, cannot record: ()</responseData>
</sample>

</testResults>
"#;
    assert_eq!(run.text("t.xml"), expected);
}

#[test]
fn csv_has_all_columns_in_jmeters_order() {
    let run = run(&[("sample_variables", "x,y,")]);
    let flags: Vec<&str> = ALL_FLAGS
        .iter()
        .copied()
        .filter(|flag| *flag != "xml")
        .collect();
    let mut collector = run.collector("all.csv", &flags);
    let mut sample = java_sample();
    sample.parts.push(SampleResult {
        url: Some("http://a/".to_owned()),
        success: true,
        ..SampleResult::new("part")
    });
    collector.sample(&event(sample, &[Some("a,b"), None]));
    assert!(collector.end().is_empty());
    let expected = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,\
        failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Filename,Latency,Encoding,\
        SampleCount,ErrorCount,Hostname,IdleTime,Connect,\"x\",\"y\"\n\
        1772719629045,5,\"jav\ta <\"\"'&\nx\",,\"said \"\"so\"\", twice\",group 1-1,text,false,\
        Test failed: text expected to contain /nope</,28,15,2,7,null,,3,UTF-8,1,1,here,0,1,\
        \"a,b\",null\n\
        0,0,part,,,,,true,,0,0,0,0,http://a/,,0,UTF-8,1,0,here,0,0,\"a,b\",null\n";
    assert_eq!(run.text("all.csv"), expected);
}

#[test]
fn an_empty_message_of_an_assertion_is_a_message() {
    let run = run(&[]);
    let files = [
        run.collector("m.xml", &["xml", "assertions", "samplerData"]),
        run.collector(
            "m.csv",
            &["fieldNames", "saveAssertionResultsFailureMessage"],
        ),
    ];
    let mut sample = java_sample();
    sample.assertions[0].message = Some(String::new());
    sample.sampler_data = Some(String::new());
    for mut file in files {
        file.sample(&event(sample.clone(), &[]));
        assert!(file.end().is_empty());
    }
    let xml = run.text("m.xml");
    assert!(
        xml.contains("    <failureMessage></failureMessage>\n"),
        "{xml}"
    );
    assert!(
        xml.contains("<samplerData class=\"java.lang.String\"/>"),
        "{xml}"
    );
    // JMeter shows the first message that is there.
    assert_eq!(run.text("m.csv"), "failureMessage\n\n");
}

#[test]
fn the_file_of_the_command_line_has_jmeters_default_columns() {
    let run = run(&[]);
    let mut collector = to_file("deep/out.jtl", &run.surroundings).unwrap();
    let mut sample = java_sample();
    sample.label = "L".to_owned();
    sample.message = "OK".to_owned();
    sample.assertions.clear();
    collector.sample(&event(sample, &[]));
    assert!(collector.end().is_empty());
    let expected = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,\
        failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect\n\
        1772719629045,5,L,,OK,group 1-1,text,false,,28,15,2,7,null,3,0,1\n";
    assert_eq!(run.text("deep/out.jtl"), expected);
}

#[test]
fn properties_choose_columns_stamp_and_delimiter() {
    let cases = [
        (
            &[("timestamp_format", "yyyy-MM-dd HH:mm:ss.SSS")][..],
            "timeStamp\telapsed\n2026-03-05 14:07:09.045\t5\n",
        ),
        (&[("timestamp_format", "none")], "elapsed\n5\n"),
        (
            &[("timestamp_format", "not a pattern")],
            "timeStamp\telapsed\n5\n",
        ),
        (&[("print_field_names", "false")], "1772719629045\t5\n"),
    ];
    let off = [
        "label",
        "response_code",
        "response_message",
        "thread_name",
        "data_type",
        "successful",
        "assertion_results_failure_message",
        "bytes",
        "sent_bytes",
        "thread_counts",
        "url",
        "latency",
        "idle_time",
        "connect_time",
    ];
    for (settings, expected) in cases {
        let mut properties: Vec<(String, &str)> = off
            .iter()
            .map(|name| (format!("jmeter.save.saveservice.{name}"), "false"))
            .collect();
        properties.push((
            "jmeter.save.saveservice.default_delimiter".to_owned(),
            r"\t",
        ));
        for (name, value) in settings {
            properties.push((format!("jmeter.save.saveservice.{name}"), value));
        }
        let properties: Vec<(&str, &str)> = properties
            .iter()
            .map(|(name, value)| (name.as_str(), *value))
            .collect();
        let run = run(&properties);
        let mut collector = to_file("out.jtl", &run.surroundings).unwrap();
        collector.sample(&event(java_sample(), &[]));
        assert!(collector.end().is_empty());
        assert_eq!(run.text("out.jtl"), expected, "{settings:?}");
    }
    for wrong in ["", ",,", "x", "\"", "é"] {
        let run = run(&[("jmeter.save.saveservice.default_delimiter", wrong)]);
        let made = to_file("out.jtl", &run.surroundings);
        assert_eq!(
            made.err().unwrap().id,
            "jmeter-listener-delimiter",
            "{wrong:?}"
        );
    }
}

#[test]
fn only_errors_and_only_successes() {
    let cases = [
        ("false", "false", "label\ngood\nbad\n"),
        ("true", "false", "label\nbad\n"),
        ("false", "true", "label\ngood\n"),
    ];
    for (errors, successes, expected) in cases {
        let run = run(&[]);
        let element = element(
            "out.csv",
            &["label", "fieldNames"],
            &[
                ("ResultCollector.error_logging", errors),
                ("ResultCollector.success_only_logging", successes),
            ],
        );
        let mut collector = collector::make(&element, &run.surroundings)
            .unwrap()
            .unwrap();
        for (label, success) in [("good", true), ("bad", false)] {
            let result = SampleResult {
                success,
                ..SampleResult::new(label)
            };
            collector.sample(&event(result, &[]));
        }
        assert!(collector.end().is_empty());
        assert_eq!(run.text("out.csv"), expected);
    }
}

#[test]
fn collectors_of_one_file_share_it() {
    let run = run(&[]);
    let mut first = run.collector("out.csv", &["label", "fieldNames"]);
    let mut second = run.collector("out.csv", &["success", "fieldNames"]);
    for label in ["a", "b"] {
        let event = event(SampleResult::new(label), &[]);
        first.sample(&event);
        second.sample(&event);
    }
    second.sample(&event(SampleResult::new("c"), &[]));
    assert!(first.end().is_empty());
    assert!(second.end().is_empty());
    assert_eq!(run.text("out.csv"), "label\na\nb\nfalse\n");
}

#[test]
fn files_that_exist_are_continued() {
    let run = run(&[]);
    for label in ["a", "b"] {
        let mut csv = run.collector("out.csv", &["label", "fieldNames"]);
        let mut xml = run.collector("out.xml", &["label", "xml"]);
        let event = event(SampleResult::new(label), &[]);
        csv.sample(&event);
        xml.sample(&event);
        assert!(csv.end().is_empty());
        assert!(xml.end().is_empty());
    }
    assert_eq!(run.text("out.csv"), "label\na\nb\n");
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testResults version=\"1.2\">\n";
    let expected = format!("{head}<sample lb=\"a\"/>\n\n<sample lb=\"b\"/>\n\n</testResults>\n");
    assert_eq!(run.text("out.xml"), expected);
    // Not a finished file: begun anew.
    std::fs::write(run.folder.path().join("out.xml"), "x".repeat(200)).unwrap();
    let xml = run.collector("out.xml", &["label", "xml"]);
    assert!(xml.end().is_empty());
    assert_eq!(run.text("out.xml"), format!("{head}\n</testResults>\n"));
}

#[test]
fn without_a_file_there_is_nothing_to_do() {
    let run = run(&[]);
    let made = collector::make(&element("", ALL_FLAGS, &[]), &run.surroundings);
    assert!(made.unwrap().is_none());
}

#[test]
fn a_file_that_cannot_be_opened_is_an_error() {
    let run = run(&[]);
    std::fs::write(run.folder.path().join("file"), "").unwrap();
    let made = collector::make(&element("file/out.csv", &[], &[]), &run.surroundings);
    assert_eq!(made.err().unwrap().id, "jmeter-listener-file");
}

#[test]
fn names_with_the_base_prefix_start_from_the_plan() {
    let run = run(&[]);
    let collector = run.collector("~/out.csv", &["label", "fieldNames"]);
    assert!(collector.end().is_empty());
    assert_eq!(run.text("plans/out.csv"), "label\n");
    assert!(run.surroundings.path("/x").starts_with(Path::new("/x")));
}

#[test]
fn saved_responses_are_named_at_once_and_written_later() {
    let run = run(&[]);
    let saver = Evaluated {
        properties: [
            ("FileSaver.filename", "got/page_"),
            ("FileSaver.variablename", "file"),
            ("FileSaver.numberPadLen", "3"),
            ("FileSaver.errorsonly", "false"),
        ]
        .map(|(name, value)| (name.to_owned(), text(value)))
        .to_vec(),
        ..Evaluated::default()
    };
    let mut listener = saver::make(&saver, &run.surroundings).unwrap().unwrap();
    let namer = listener.namer().unwrap();
    let mut cx = crate::context::testing::TestContext::with(&[]);
    let mut result = SampleResult {
        content_type: "text/html;charset=UTF-8".to_owned(),
        body: b"outer".to_vec(),
        parts: vec![SampleResult {
            body: b"inner".to_vec(),
            ..SampleResult::new("part")
        }],
        ..SampleResult::new("page")
    };
    namer.name(&mut cx, &mut result).unwrap();
    assert_eq!(cx.get("file").as_deref(), Some("got/page_001.html"));
    assert_eq!(cx.get("file1").as_deref(), Some("got/page_002.unknown"));
    listener.sample(&event(result, &[]));
    assert!(listener.end().is_empty());
    assert_eq!(run.text("got/page_001.html"), "outer");
    assert_eq!(run.text("got/page_002.unknown"), "inner");
}

#[test]
fn errors_alone_can_be_kept_in_full() {
    let run = run(&[]);
    let mut collector = run.collector("e.xml", &["xml", "label", "responseDataOnError"]);
    for success in [true, false] {
        let result = SampleResult {
            success,
            data_type: DataType::Text,
            body: b"body".to_vec(),
            sampler_data: Some("sent".to_owned()),
            ..SampleResult::new("L")
        };
        collector.sample(&event(result, &[]));
    }
    assert!(collector.end().is_empty());
    let expected = r#"<sample lb="L"/>
<sample lb="L">
  <responseData class="java.lang.String">body</responseData>
  <samplerData class="java.lang.String">sent</samplerData>
</sample>
"#;
    assert!(
        run.text("e.xml").contains(expected),
        "{}",
        run.text("e.xml")
    );
}
