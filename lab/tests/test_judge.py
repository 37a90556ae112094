"""Diagnoses are judged by the truth: right, wrong and nearly right ones, all made up."""

import unittest

from plimsoll_lab import judge, score


def tier(name: str, port: int, pid: int = 4711, kind: str = "spring") -> dict:
    return {"name": name, "kind": kind, "host": "127.0.0.1", "pid": pid, "ports": {"http": port}}


def truth(
    finding: str, kind: str, name: str | int, where: str | None = None, of: str = "app"
) -> dict:
    thing = {"kind": kind, "name": name}
    return {"finding": finding, "object": thing, "where": where, "tier": of, "advice": None}


LOCK = truth("lock", "monitor", "com.x.sales.PriceDesk", "com.x.sales.PriceDesk.readOffer")
THREADS = truth("worker_threads", "thread_pool", "tomcat")
NOTHING = truth("none", "none", "none")


def recording(one: dict, second: dict | None = None, **more: object) -> dict:
    tiers = [tier("app", 18080), tier("front", 19090, 4712, "nginx")]
    made = {
        "case": "T01",
        "seed": 7,
        "control": False,
        "provable": True,
        "truth": one,
        "second": second,
        "links": [],
        "states": {"faulty": {"tiers": tiers}, "cured": {"tiers": tiers}},
    }
    return made | more


def finding(of: str, name: str, rank: int = 1, layer: str = "cause", **more: object) -> dict:
    thing = {"kind": "x", "name": name, "host": "vm"}
    return {"id": of, "rank": rank, "layer": layer, "object": thing, "evidence": []} | more


def diagnosis(*findings: dict, outcome: str = "found") -> dict:
    return {"outcome": outcome, "findings": list(findings)}


WELL = diagnosis(outcome="nothing")


class OneFault(unittest.TestCase):
    def test_right(self):
        said = diagnosis(finding("lock", "com.x.sales.PriceDesk"), finding("cpu", "vm", 2))
        verdict = judge.judge(recording(LOCK), said, WELL)
        self.assertEqual(
            (verdict.top1, verdict.top3, verdict.object, verdict.cured), (True, True, True, True)
        )
        self.assertIsNone(verdict.false_alarms)

    def test_a_quota_of_the_lab_is_the_size_of_a_machine(self):
        quota = finding(
            "cpu", "java[18080]", layer="resource", advice=[{"setting": "cpu quota"}], healthy=False
        )
        verdict = judge.judge(recording(NOTHING), diagnosis(quota), diagnosis(quota))
        self.assertEqual((verdict.top1, verdict.false_alarms), (True, 0))
        # A cause beside it is an alarm all the same, and "not enough was watched" is none of a healthy system.
        alarm = diagnosis(quota, finding("lock", "com.x.sales.PriceDesk", 2))
        self.assertFalse(judge.judge(recording(NOTHING), alarm, WELL).top1)
        unknown = diagnosis(quota, outcome="insufficient")
        self.assertFalse(judge.judge(recording(NOTHING), unknown, WELL).top1)

    def test_rank_counts_not_the_order_in_the_list(self):
        said = diagnosis(finding("cpu", "vm", 2), finding("lock", "com.x.sales.PriceDesk", 1))
        self.assertTrue(judge.judge(recording(LOCK), said, WELL).top1)

    def test_a_hint_does_not_say_what_limits(self):
        hint = finding("lock", "com.x.sales.PriceDesk", layer="hint")
        verdict = judge.judge(recording(LOCK), diagnosis(hint, outcome="nothing"), WELL)
        self.assertEqual((verdict.top1, verdict.top3, verdict.object), (False, True, True))

    def test_second_and_fourth(self):
        others = [finding(f"other{at}", "vm", at) for at in range(1, 4)]
        right = "com.x.sales.PriceDesk"
        second = judge.judge(recording(LOCK), diagnosis(others[0], finding("lock", right, 2)), WELL)
        self.assertEqual((second.top1, second.top3), (False, True))
        fourth = judge.judge(recording(LOCK), diagnosis(*others, finding("lock", right, 4)), WELL)
        self.assertEqual((fourth.top1, fourth.top3, fourth.object), (False, False, True))

    def test_the_right_finding_with_another_object_is_wrong(self):
        said = diagnosis(finding("lock", "com.x.sales.PriceDeskRegistry"))
        verdict = judge.judge(recording(LOCK), said, WELL)
        self.assertEqual((verdict.top1, verdict.top3, verdict.object), (False, False, False))

    def test_the_wrong_finding_with_the_right_object_is_wrong(self):
        verdict = judge.judge(recording(LOCK), diagnosis(finding("cpu", LOCK["where"])), WELL)
        self.assertEqual((verdict.top1, verdict.object), (False, None))

    def test_nothing_said(self):
        verdict = judge.judge(recording(LOCK), WELL, WELL)
        self.assertEqual((verdict.top1, verdict.top3, verdict.first), (False, False, "nothing"))
        self.assertIsNone(verdict.cured)  # what was never told cannot be gone

    def test_what_is_said_first(self):
        told = finding("cpu", "vm", layer="resource")
        said = [told, told | {"layer": "hint"}, told | {"healthy": True}]
        first = [judge.judge(recording(LOCK), diagnosis(each), None).first for each in said]
        self.assertEqual(first, ["cpu", "(cpu)", "cpu, healthy"])

    def test_not_gone_when_cured(self):
        still = finding("lock", "com.x.sales.PriceDesk")
        judged = [
            judge.judge(recording(LOCK), diagnosis(still), diagnosis(each)).cured
            for each in (still, still | {"layer": "hint"}, still | {"healthy": True})
        ]
        self.assertEqual(judged, [False, True, True])

    def test_a_diagnosis_that_failed_is_a_miss(self):
        verdict = judge.judge(recording(LOCK), None, None)
        self.assertIsNone(verdict.top1)
        verdict = score.failed(verdict, ["T01-7-faulty: no diagnosis"])
        self.assertEqual((verdict.top1, verdict.top3), (False, False))


class Objects(unittest.TestCase):
    def named(self, wanted: dict, **said: object) -> bool:
        told = finding(wanted["finding"], str(said.pop("name", "?")), **said)
        return judge.names(told, wanted, recording(wanted), "faulty")

    def test_code_by_class_and_method(self):
        for name in ("com.x.sales.PriceDesk.readOffer", "PriceDesk.readOffer(PriceDesk.java:31)"):
            self.assertTrue(self.named(LOCK, name=name), name)
        for name in ("com.x.sales.PriceDesk2", "OtherPriceDesk", "readOffer"):
            self.assertFalse(self.named(LOCK, name=name), name)

    def test_code_in_a_line_of_a_capture(self):
        line = "at com.x.sales.PriceDesk.readOffer(PriceDesk.java:31)"
        for evidence in ({"text": "seen", "lines": [line]}, {"text": line, "lines": []}):
            self.assertTrue(self.named(LOCK, evidence=[evidence]))
        self.assertFalse(self.named(LOCK, evidence=[{"text": "seen", "lines": []}]))

    def test_tiers_by_port_or_process(self):
        proxy = truth("short_connections", "proxy", "front", of="front")
        for name in ("nginx[19090]", "nginx:19090", "127.0.0.1:19090", "nginx pid 4712"):
            self.assertTrue(self.named(proxy, name=name), name)
        for name in ("nginx[18080]", "nginx[190901]", "java[119090]", "19090 requests"):
            self.assertFalse(self.named(proxy, name=name), name)

    def test_a_neighbour_in_the_evidence_is_not_the_object(self):
        hop = truth("outgoing_pool", "hop", "front", of="front")
        evidence = [{"text": "nginx[19090] waits", "lines": []}]
        self.assertFalse(self.named(hop, name="java[18080]", evidence=evidence))

    def test_pools_by_name_or_process(self):
        for name in ("tomcat", "Tomcat http-nio-18080", "java[18080]"):
            self.assertTrue(self.named(THREADS, name=name), name)
        self.assertFalse(self.named(THREADS, name="jetty"))

    def test_a_socket_by_its_port(self):
        socket = truth("accept_queue", "listen_socket", 18080)
        for name in ("127.0.0.1:18080", "18080", "java[18080]"):
            self.assertTrue(self.named(socket, name=name), name)
        self.assertFalse(self.named(socket, name="127.0.0.1:18081"))

    def test_other_names(self):
        table = truth("full_scan", "table", "price_log")
        select = "SELECT COUNT ( * ) FROM `price_log` WHERE"
        self.assertTrue(self.named(table, evidence=[{"text": select}]))
        self.assertFalse(self.named(table, evidence=[{"text": "FROM price_log_old"}]))
        self.assertTrue(self.named(truth("x", "redis_command", "GET"), name="get"))
        self.assertFalse(self.named(truth("x", "redis_command", "GET"), name="mget"))
        self.assertTrue(self.named(truth("x", "file", "/a/price.journal"), name="/a/price.journal"))
        generator = truth("generator_ports", "generator", "generator")
        self.assertFalse(self.named(generator, name="generator"))
        self.assertTrue(self.named(generator, object={"kind": "generator", "name": "vm"}))

    def test_links_by_device_or_address(self):
        ends = [
            {"netns": "host", "device": "pl0a", "address": "10.0.0.1"},
            {"netns": "target", "device": "pl0b", "address": "10.0.0.2"},
        ]
        link = truth("network_full", "link", "target")
        for name, right in (("pl0a", True), ("10.0.0.2", True), ("lo", False)):
            told = finding("network_full", name)
            made = recording(link, links=[{"ends": ends}])
            self.assertEqual(judge.names(told, link, made, "faulty"), right, name)


class Healthy(unittest.TestCase):
    CPU = truth("cpu", "host", "app")

    def test_nothing_to_find(self):
        verdict = judge.judge(recording(NOTHING, control=True), WELL, diagnosis(outcome="healthy"))
        self.assertEqual((verdict.top1, verdict.false_alarms, verdict.cured), (True, 0, None))

    def test_a_cause_is_a_false_alarm(self):
        alarm = diagnosis(finding("worker_threads", "java[18080]"))
        verdict = judge.judge(recording(NOTHING, control=True), alarm, alarm)
        self.assertEqual((verdict.top1, verdict.false_alarms), (False, 2))

    def test_hints_are_none(self):
        hint = diagnosis(finding("worker_threads", "java[18080]", layer="hint"), outcome="nothing")
        verdict = judge.judge(recording(NOTHING, control=True), hint, WELL)
        self.assertEqual((verdict.top1, verdict.false_alarms), (True, 0))

    def test_bound_by_the_cpu_as_it_should_be(self):
        busy = finding("cpu", "java[18080]", layer="resource", healthy=True)
        verdict = judge.judge(
            recording(self.CPU, control=True),
            diagnosis(busy, outcome="healthy"),
            diagnosis(busy, outcome="healthy"),
        )
        self.assertEqual((verdict.top1, verdict.false_alarms, verdict.cured), (True, 0, None))

    def test_a_starved_generator(self):
        starved = truth("generator_cpu", "generator", "generator")
        said = finding("generator_cpu", "vm", layer="measurement")
        said["object"]["kind"] = "generator"
        made = recording(starved, control=True)
        verdict = judge.judge(made, diagnosis(said), WELL)
        self.assertEqual((verdict.top1, verdict.false_alarms, verdict.cured), (True, 0, True))
        self.assertFalse(judge.judge(made, diagnosis(said), diagnosis(said)).cured)


class TwoFaults(unittest.TestCase):
    def judged(self, *said: dict) -> tuple[bool | None, bool | None]:
        verdict = judge.judge(recording(LOCK, THREADS), diagnosis(*said), WELL)
        return verdict.top1, verdict.top3

    def test_both_in_their_order(self):
        lock = finding("lock", "com.x.sales.PriceDesk", 1)
        threads = finding("worker_threads", "tomcat", 2)
        self.assertEqual(self.judged(lock, threads), (True, True))
        self.assertEqual(self.judged(lock | {"rank": 2}, threads | {"rank": 1}), (False, True))
        self.assertEqual(self.judged(lock), (True, False))
        self.assertEqual(self.judged(threads), (False, False))

    def test_both_must_go(self):
        left = diagnosis(finding("worker_threads", "tomcat"))
        self.assertTrue(judge.judge(recording(LOCK, THREADS), left, WELL).cured)
        self.assertFalse(judge.judge(recording(LOCK, THREADS), left, left).cured)


class Totals(unittest.TestCase):
    def test_sums_and_tables(self):
        right = judge.judge(recording(LOCK), diagnosis(finding("lock", LOCK["where"])), WELL)
        wrong = judge.judge(recording(LOCK), diagnosis(finding("cpu", "vm")), WELL)
        hidden = judge.judge(recording(LOCK, provable=False), diagnosis(), WELL)
        well = judge.judge(recording(NOTHING, control=True), WELL, WELL)
        right.seconds = 0.5
        verdicts = [right, wrong, hidden, well]
        sums = score.totals(verdicts)
        self.assertEqual(sums["top1"], {"right": 2, "of": 3})
        self.assertEqual([score.is_right(each) for each in verdicts], [True, False, True, True])
        self.assertEqual((sums["recordings"], sums["counted"], sums["healthy"]), (4, 3, 1))
        self.assertEqual(sums["longest_s"], 0.5)
        self.assertIn("right finding first, with its object: 2 of 3", score.table(verdicts))
        states = {"faulty": {"load_average": 1.5, "tiers": []}}
        made = recording(LOCK, states=states, recorded="2026-11-22T10:00:00+00:00")
        text = score.markdown(verdicts, [made])
        self.assertIn("| T01 | 7 | lock | lock | yes | yes | yes | yes | nothing |", text)
        self.assertIn("- seeds: 7", text)
        self.assertIn("1.5 to 1.5", text)

    def test_a_wrong_case_is_not_judged_where_the_recording_is_unfit(self):
        right = judge.judge(recording(LOCK), diagnosis(finding("lock", LOCK["where"])), WELL)
        wrong = judge.judge(recording(LOCK), diagnosis(finding("cpu", "vm")), WELL)
        own = judge.judge(recording(LOCK), diagnosis(finding("generator_starved", "vm")), WELL)

        def mark(verdict, others=0.0, limits=()):
            faulty = {"others_cpu": 0.1, "generator": list(limits)}
            cured = {"others_cpu": others, "generator": []}
            states = {"faulty": {"measured": faulty}, "cured": {"measured": cured}}
            return score.marks([verdict], [recording(LOCK, states=states)])[0]

        self.assertEqual(mark(right, 1.4), "right: T01 7")
        self.assertEqual(mark(wrong, 0.3), "wrong: T01 7: cpu, cured nothing; not lock")
        self.assertTrue(mark(wrong, 1.4).startswith("unfit: T01 7: cpu"), mark(wrong, 1.4))
        self.assertIn("others used 1.4 CPUs", mark(wrong, 1.4))
        # Who blames the generator is excused only if it was the limit indeed.
        self.assertTrue(mark(own).startswith("wrong: "), mark(own))
        self.assertIn("the generator was the bottleneck: starved", mark(own, limits=["starved"]))
        self.assertTrue(mark(wrong, limits=["starved"]).startswith("wrong: "))


if __name__ == "__main__":
    unittest.main()
