"""What differs from run to run is taken out of what a run wrote: ports, folders, times."""
import csv
import io
import re

# Attributes of a sample that are times, or the machine's.
TIMES = {"t", "it", "lt", "ct", "ts", "hn"}
TIME_COLUMNS = {"timeStamp", "elapsed", "Latency", "IdleTime", "Connect", "Hostname"}
# Lines of a Debug Sampler that tell the time, or where objects are in memory.
CHANGING = re.compile(r"^(START\.\w+|TESTSTART\.MS|JMeterThread\.pack|JMeterThread\.(start|end)_\w+"
                      r"|__jmv_\w+)=.*\n?", re.MULTILINE)
LENGTH = re.compile(r"Content-Length: \d+")
BOUNDARY = re.compile(r"boundary=([^\s;\"]+)")


# An empty element in two tags. JMeter 5.6.3 writes it so; what its own suite expects has one tag.
EMPTY = re.compile(r"<([\w.]+)([^<>]*)></\1>")
# Control characters that JMeter refers to although XML 1.0 has no place for them.
FORBIDDEN = re.compile(r"&#x([0-8bcef]|1[0-9a-f]|fff[ef]);")


def normalised_text(text, port, folder):
    text = re.sub(rf"(?<!\d){port}(?!\d)", "PORT", text)
    text = text.replace(str(folder), "FOLDER")
    return CHANGING.sub("", text)


def readable_xml(text):
    """Results with forbidden characters spelt out, so that a parser takes them."""
    return FORBIDDEN.sub(r"\\x{\1}", text)


def normalised_requests(requests, replace):
    """Requests with the port and the boundaries of multipart bodies taken out."""
    clean = []
    for request in requests:
        boundary = next((BOUNDARY.search(value) for name, value in request["headers"]
                         if name.lower() == "content-type"), None)
        mask = lambda text: LENGTH.sub("Content-Length: *", text.replace(
            boundary.group(1), "BOUNDARY")) if boundary else text
        clean.append({
            "line": f"{request['method']} {replace(request['target'])}",
            "headers": [mask(f"{name}: {replace(value)}") for name, value in request["headers"]],
            "body": mask(replace(request["body"])),
        })
    return clean


def samples_of(parent):
    """The samples within an element, as trees."""
    return [sample_of(element) for element in parent if element.tag in ("sample", "httpSample")]


def sample_of(element):
    sample = {"kind": element.tag}
    sample.update((name, value) for name, value in element.attrib.items() if name not in TIMES)
    for child in element:
        if child.tag == "assertionResult":
            found = {inner.tag: inner.text or "" for inner in child}
            sample.setdefault("assertions", []).append(found)
        elif child.tag not in ("sample", "httpSample"):
            sample[child.tag] = masked(child.text or "")
    parts = samples_of(element)
    if parts:
        sample["parts"] = parts
    mask_lengths(sample)
    return sample


def mask_lengths(sample):
    """Takes out the lengths of what differs from run to run."""
    if sample.get("rc", "").startswith("Non HTTP response code"):
        # A stack trace of Java's.
        sample.pop("responseData", None)
        sample.pop("by", None)
    if sample.get("responseData", "").startswith("JMeterVariables:"):
        sample.pop("by", None)
        sample["variables"] = variables_of(sample.pop("responseData"))
    if "boundary=" in sample.get("requestHeader", ""):
        for name, text in sample.items():
            if isinstance(text, str):
                sample[name] = LENGTH.sub("Content-Length: *", text)
        sample.pop("by", None)
        sample.pop("sby", None)
    if any("by" not in part for part in sample.get("parts", [])):
        sample.pop("by", None)


def masked(text):
    boundary = BOUNDARY.search(text) or re.match(r"--([-\w]{8,})\r?\n", text)
    return text.replace(boundary.group(1), "BOUNDARY") if boundary else text


def sorted_samples(samples):
    """Samples of several users: how many were there at a moment differs from run to run."""
    for sample in samples:
        sample.pop("ng", None)
        sample.pop("na", None)
    return sorted(samples, key=lambda sample: (sample.get("tn", ""), sample.get("lb", "")))


def csv_file(text):
    """A file that a listener wrote, with its times masked: CSV with a header by its columns,
    XML by its attributes; anything else as it is."""
    if text.startswith("<?xml"):
        text = re.sub(r' (t|it|lt|ct|ts|hn)="[^"]*"', r' \1="*"', text)
        return EMPTY.sub(r"<\1\2/>", text)
    lines = list(csv.reader(io.StringIO(text)))
    if not lines or not TIME_COLUMNS & set(lines[0]):
        return text
    at = [number for number, name in enumerate(lines[0]) if name in TIME_COLUMNS]
    for line in lines[1:]:
        for number in at:
            if number < len(line):
                line[number] = "*"
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(lines)
    return out.getvalue()


def variables_of(text):
    """What a Debug Sampler shows, by name."""
    variables, name = {}, None
    for line in text.splitlines()[1:]:
        if "=" in line:
            name, _, value = line.partition("=")
            variables[name] = value
        elif name is not None and line:
            variables[name] += "\n" + line
    return variables
