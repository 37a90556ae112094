//! JMeter's functions: names and how many arguments they take. Source: JMeter 5.6.3, the
//! classes of `org.apache.jmeter.functions` (each checks its number of arguments when a text is
//! compiled); and those of the plugins jpgc-functions 2.2, jpgc-fifo 0.2 and jpgc-tst 2.6.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

/// Any number of arguments.
const ANY: usize = usize::MAX;

/// What a function does to variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saves {
    /// Nothing.
    Nothing,
    /// Sets the variable whose name is in this argument, counted from 0.
    Argument(usize),
    /// Sets the variable whose name is in the last argument.
    LastArgument,
    /// May set any variable.
    Anything,
}

/// One of JMeter's functions, or of a plugin's.
#[derive(Debug, Clone, Copy)]
pub struct JMeterFunction {
    /// Its name, as in `${__time()}`.
    pub name: &'static str,
    /// Fewest and most arguments.
    pub args: (usize, usize),
    /// What it does to variables.
    pub saves: Saves,
    /// Its arguments, as documentation shows them.
    pub usage: &'static str,
}

/// All of them, sorted by name.
pub const JMETER_FUNCTIONS: &[JMeterFunction] = &[
    scripted("__BeanShell", "__BeanShell(expression[,name])"),
    function("__CSVRead", (2, 2), "__CSVRead(file,column|next|*alias)"),
    saving(
        "__FileToString",
        (1, 3),
        2,
        "__FileToString(file[,encoding[,name]])",
    ),
    saving("__MD5", (1, ANY), 1, "__MD5(text[,name])"),
    function("__P", (1, 2), "__P(property[,default])"),
    saving("__Random", (2, 3), 2, "__Random(least,most[,name])"),
    saving(
        "__RandomDate",
        (3, 5),
        4,
        "__RandomDate(format,start,end[,locale[,name]])",
    ),
    saving(
        "__RandomFromMultipleVars",
        (1, 2),
        1,
        "__RandomFromMultipleVars(a|b|c[,name])",
    ),
    saving(
        "__RandomString",
        (1, 3),
        2,
        "__RandomString(length[,characters[,name]])",
    ),
    saving(
        "__StringFromFile",
        (1, 4),
        1,
        "__StringFromFile(file[,name[,start[,end]]])",
    ),
    function(
        "__StringToFile",
        (2, 4),
        "__StringToFile(file,text[,append[,encoding]])",
    ),
    function("__TestPlanName", (0, 0), "__TestPlanName()"),
    function("__UUID", (0, 0), "__UUID()"),
    function("__V", (1, 2), "__V(name[,default])"),
    function("__XPath", (2, 2), "__XPath(file,expression)"),
    saving("__base64Decode", (1, 2), 1, "__base64Decode(text[,name])"),
    saving("__base64Encode", (1, 2), 1, "__base64Encode(text[,name])"),
    saving(
        "__caseFormat",
        (1, 3),
        2,
        "__caseFormat(text[,mode[,name]])",
    ),
    saving(
        "__changeCase",
        (1, 3),
        2,
        "__changeCase(text[,mode[,name]])",
    ),
    function("__char", (1, ANY), "__char(number,…)"),
    last_saving("__chooseRandom", "__chooseRandom(a,b,…,name)").taking(3, ANY),
    saving("__counter", (1, 2), 1, "__counter(TRUE|FALSE[,name])"),
    saving(
        "__dateTimeConvert",
        (3, 4),
        3,
        "__dateTimeConvert(date,from,to[,name])",
    ),
    saving(
        "__digest",
        (2, 5),
        4,
        "__digest(algorithm,text[,salt[,upper[,name]]])",
    ),
    last_saving("__doubleSum", "__doubleSum(a,b,…[,name])"),
    saving("__env", (1, 3), 1, "__env(variable[,name[,default]])"),
    function("__escapeHtml", (1, 1), "__escapeHtml(text)"),
    saving(
        "__escapeOroRegexpChars",
        (1, 2),
        1,
        "__escapeOroRegexpChars(text[,name])",
    ),
    function("__escapeXml", (1, 1), "__escapeXml(text)"),
    scripted("__eval", "__eval(text)").taking(1, 1),
    scripted("__evalVar", "__evalVar(name)").taking(1, 1),
    saving("__fifoGet", (1, ANY), 1, "__fifoGet(queue[,name])"),
    saving("__fifoPop", (1, ANY), 1, "__fifoPop(queue[,name])"),
    function("__fifoPut", (2, ANY), "__fifoPut(queue,text)"),
    saving("__fifoSize", (1, ANY), 1, "__fifoSize(queue[,name])"),
    scripted("__groovy", "__groovy(expression[,name])"),
    saving("__if", (4, ANY), 4, "__if(a,b,equal,different[,name])"),
    last_saving("__intSum", "__intSum(a,b,…[,name])"),
    function("__isDefined", (1, ANY), "__isDefined(name)"),
    function("__isPropDefined", (1, 1), "__isPropDefined(property)"),
    function("__isVarDefined", (1, 1), "__isVarDefined(name)"),
    function("__iterationNum", (0, ANY), "__iterationNum()"),
    scripted("__javaScript", "__javaScript(expression[,name])"),
    scripted("__jexl2", "__jexl2(expression[,name])"),
    scripted("__jexl3", "__jexl3(expression[,name])"),
    function("__log", (1, 4), "__log(text[,level[,throwable[,comment]]])"),
    function("__logn", (1, 3), "__logn(text[,level[,throwable]])"),
    last_saving("__longSum", "__longSum(a,b,…[,name])"),
    saving("__lowercase", (1, ANY), 1, "__lowercase(text[,name])"),
    saving("__machineIP", (0, 1), 0, "__machineIP([name])"),
    saving("__machineName", (0, 1), 0, "__machineName([name])"),
    saving(
        "__property",
        (1, 3),
        1,
        "__property(property[,name[,default]])",
    ),
    scripted(
        "__regexFunction",
        "__regexFunction(regex,template[,match[,between[,default[,name[,input]]]]])",
    )
    .taking(2, 7),
    saving("__samplerName", (0, 1), 0, "__samplerName([name])"),
    function(
        "__setProperty",
        (2, 3),
        "__setProperty(property,value[,true|false])",
    ),
    scripted("__split", "__split(text,name[,separator])").taking(2, 3),
    saving("__strLen", (1, ANY), 1, "__strLen(text[,name])"),
    saving(
        "__strReplace",
        (3, ANY),
        3,
        "__strReplace(text,search,by[,name])",
    ),
    saving(
        "__strReplaceRegex",
        (3, ANY),
        3,
        "__strReplaceRegex(text,regex,by[,name])",
    ),
    saving(
        "__substring",
        (3, ANY),
        3,
        "__substring(text,begin,end[,name])",
    ),
    function("__threadGroupName", (0, 0), "__threadGroupName()"),
    function("__threadNum", (0, 0), "__threadNum()"),
    saving("__time", (0, 2), 1, "__time([format[,name]])"),
    saving(
        "__timeShift",
        (4, 5),
        4,
        "__timeShift(format,date,shift,locale[,name])",
    ),
    function(
        "__tstFeedback",
        (2, 4),
        "__tstFeedback(timer,first[,most[,spare]])",
    ),
    function("__unescape", (1, 1), "__unescape(text)"),
    function("__unescapeHtml", (1, 1), "__unescapeHtml(text)"),
    saving("__uppercase", (1, ANY), 1, "__uppercase(text[,name])"),
    function("__urldecode", (1, 1), "__urldecode(text)"),
    function("__urlencode", (1, 1), "__urlencode(text)"),
];

/// The function of a name.
#[must_use]
pub fn jmeter_function(name: &str) -> Option<&'static JMeterFunction> {
    let at = JMETER_FUNCTIONS.binary_search_by(|known| known.name.cmp(name));
    let known = at.ok().map(|at| &JMETER_FUNCTIONS[at]);
    known.or_else(|| {
        let learnt = LEARNT.read().unwrap_or_else(PoisonError::into_inner);
        learnt.get(name).copied()
    })
}

/// Functions of other people's jars that this process has been told of.
static LEARNT: RwLock<BTreeMap<&str, &JMeterFunction>> = RwLock::new(BTreeMap::new());

/// Learns that a jar has a function of this name, for the life of this process. It may take any arguments and do
/// anything to variables.
pub fn learn_function(name: &str) {
    if jmeter_function(name).is_some() {
        return;
    }
    let mut learnt = LEARNT.write().unwrap_or_else(PoisonError::into_inner);
    // Each name once: as many as plans have functions.
    let name: &'static str = Box::leak(name.to_owned().into_boxed_str());
    let function = JMeterFunction {
        name,
        args: (0, ANY),
        saves: Saves::Anything,
        usage: name,
    };
    learnt.insert(name, Box::leak(Box::new(function)));
}

impl JMeterFunction {
    const fn taking(mut self, least: usize, most: usize) -> Self {
        self.args = (least, most);
        self
    }
}

const fn function(name: &'static str, args: (usize, usize), usage: &'static str) -> JMeterFunction {
    let saves = Saves::Nothing;
    JMeterFunction {
        name,
        args,
        saves,
        usage,
    }
}

const fn saving(
    name: &'static str,
    args: (usize, usize),
    argument: usize,
    usage: &'static str,
) -> JMeterFunction {
    let saves = Saves::Argument(argument);
    JMeterFunction {
        name,
        args,
        saves,
        usage,
    }
}

const fn last_saving(name: &'static str, usage: &'static str) -> JMeterFunction {
    let (args, saves) = ((2, ANY), Saves::LastArgument);
    JMeterFunction {
        name,
        args,
        saves,
        usage,
    }
}

/// Scripts, and functions that save under names that are made up.
const fn scripted(name: &'static str, usage: &'static str) -> JMeterFunction {
    let (args, saves) = ((1, 2), Saves::Anything);
    JMeterFunction {
        name,
        args,
        saves,
        usage,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_each_name_is_found() {
        assert!(JMETER_FUNCTIONS.is_sorted_by(|a, b| a.name < b.name));
        assert_eq!(JMETER_FUNCTIONS.len(), 70);
        for known in JMETER_FUNCTIONS {
            assert_eq!(
                jmeter_function(known.name).map(|f| f.usage),
                Some(known.usage)
            );
            assert!(known.args.0 <= known.args.1 && known.usage.starts_with(known.name));
        }
        assert!(jmeter_function("__nothing").is_none());
    }
}
