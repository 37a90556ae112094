#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::*;

fn plan(inner: &str) -> Tree {
    let text = format!(
        "<jmeterTestPlan version='1.2' jmeter='5.6.3'><hashTree>{inner}</hashTree></jmeterTestPlan>"
    );
    read(text.as_bytes()).unwrap()
}

#[test]
fn elements_nest_by_the_tree_that_follows_them() {
    let tree = plan(
        "<TestPlan guiclass='TestPlanGui' testname='p'/><hashTree>\
           <ThreadGroup testname='a'/><hashTree><ConstantTimer testname='t' enabled='false'/><hashTree/></hashTree>\
           <ThreadGroup testname='b'/>\
         </hashTree>",
    );
    let mut seen = Vec::new();
    tree.walk(&mut |node| seen.push((node.element.name.raw.clone(), node.enabled)));
    let names: Vec<_> = seen.iter().map(|(name, on)| (name.as_str(), *on)).collect();
    assert_eq!(names, [("p", true), ("a", true), ("t", false), ("b", true)]);
    assert_eq!(tree.roots[0].children[0].children.len(), 1);
    assert_eq!(tree.jmeter, "5.6.3");
}

#[test]
fn every_form_of_property_is_read() {
    let tree = plan(
        "<ResultCollector guiclass='a.b.ViewResultsFullVisualizer' testname='r'>\
           <stringProp name='s'>x&#xa;y</stringProp><boolProp name='b'>true</boolProp>\
           <intProp name='i'>1</intProp><longProp name='l'>2</longProp><floatProp name='f'>3.5</floatProp>\
           <doubleProp><name>d</name><value>0.5</value><savedValue>0.0</savedValue></doubleProp>\
           <FloatProperty><name>g</name><value>50.0</value><savedValue>0.0</savedValue></FloatProperty>\
           <collectionProp name='c'><stringProp name='1'>p</stringProp><collectionProp name='2'/></collectionProp>\
           <mapProp name='m'><stringProp name='k'>v</stringProp></mapProp>\
           <elementProp name='e' elementType='HTTPArgument'><stringProp name='Argument.name'>n</stringProp></elementProp>\
           <objProp><name>saveConfig</name><value class='SampleSaveConfiguration'><time>true</time></value></objProp>\
         </ResultCollector>",
    );
    let element = &tree.roots[0].element;
    let text = |name: &str| element.text(name).unwrap().raw.as_str();
    assert_eq!(text("s"), "x\ny");
    assert_eq!(
        (text("b"), text("i"), text("l"), text("f")),
        ("true", "1", "2", "3.5")
    );
    assert_eq!((text("d"), text("g")), ("0.5", "50.0"));
    assert_eq!(text(GUI_CLASS), "ViewResultsFullVisualizer");
    let Some(ElementValue::List(items)) = element.get("c") else {
        panic!()
    };
    assert_eq!(items.len(), 2);
    assert_eq!(items[1], ElementValue::List(vec![]));
    let inner = |name: &str| match element.get(name) {
        Some(ElementValue::Element(inner)) => inner.as_ref().clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(inner("m").class, "Map");
    assert_eq!(inner("m").text("k").unwrap().raw, "v");
    assert_eq!(inner("e").class, "HTTPArgument");
    assert_eq!(inner("saveConfig").class, "SampleSaveConfiguration");
    assert_eq!(inner("saveConfig").text("time").unwrap().raw, "true");
}

#[test]
fn old_classes_and_properties_get_their_present_names() {
    let tree = plan(
        "<ConfigTestElement guiclass='org.apache.jmeter.protocol.jdbc.config.gui.DbConfigGui' testname='db'>\
           <stringProp name='JDBCSampler.url'>jdbc:x</stringProp><stringProp name='JDBCSampler.connections'>1</stringProp>\
         </ConfigTestElement>\
         <org.apache.jmeter.protocol.http.sampler.HTTPSamplerFull guiclass='HttpTestSampleGui' testname='h'/>\
         <HeaderManager testname='m'><collectionProp name='HeaderManager.headers'>\
           <elementProp name='' elementType='Header'><stringProp name='TestElement.name'>Accept</stringProp></elementProp>\
         </collectionProp></HeaderManager>",
    );
    let classes: Vec<_> = tree
        .roots
        .iter()
        .map(|node| node.element.class.as_str())
        .collect();
    assert_eq!(
        classes,
        ["DataSourceElement", "HTTPSamplerProxy", "HeaderManager"]
    );
    assert_eq!(tree.roots[0].element.text("dbUrl").unwrap().raw, "jdbc:x");
    assert_eq!(tree.roots[0].element.properties.len(), 1);
    let Some(ElementValue::List(headers)) = tree.roots[2].element.get("HeaderManager.headers")
    else {
        panic!()
    };
    let ElementValue::Element(header) = &headers[0] else {
        panic!()
    };
    assert_eq!(header.text("Header.name").unwrap().raw, "Accept");
}

#[test]
fn the_first_version_of_the_format_is_url_encoded() {
    let text = "<jmeterTestPlan version='1.0'><hashTree><TestPlan testname='My+plan%21'>\
        <stringProp name='TestPlan.comments'>100%25+%C3%BC %zz</stringProp></TestPlan></hashTree></jmeterTestPlan>";
    let tree = read(text.as_bytes()).unwrap();
    assert_eq!(tree.roots[0].element.name.raw, "My plan!");
    let comments = tree.roots[0].element.text("TestPlan.comments").unwrap();
    assert_eq!(comments.raw, "100% ü %zz");
}

#[test]
fn what_is_no_plan_is_refused_by_name() {
    let fails = |text: &str| read(text.as_bytes()).unwrap_err().message.id;
    assert_eq!(fails("<testResults/>"), "jmeter-xml-no-plan");
    assert_eq!(
        fails("<node><testelement/></node>"),
        "jmeter-xml-old-format"
    );
    assert_eq!(fails("<jmeterTestPlan/>"), "jmeter-xml-no-elements");
    assert_eq!(fails("scenarios: []"), "jmeter-xml-empty");
}

#[test]
fn places_are_those_of_the_file() {
    let text = "<jmeterTestPlan>\n<hashTree>\n  <TestPlan testname='p'>\n    <stringProp name='a'>v</stringProp>\n  </TestPlan></hashTree></jmeterTestPlan>";
    let tree = read(text.as_bytes()).unwrap();
    let node = &tree.roots[0];
    assert_eq!((node.at.line, node.at.column), (3, 3));
    let at = node.element.text("a").unwrap().at;
    assert_eq!((at.line, at.column), (4, 26));
}

#[test]
fn a_property_of_no_known_kind_is_noted() {
    let tree = plan(
        "<TestPlan testname='p'><fooProp name='a'>1</fooProp><stringProp name='b'>2</stringProp>\
         <org.x.Prop name='c'/></TestPlan>",
    );
    let names: Vec<_> = tree.strange.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["fooProp"]);
}
