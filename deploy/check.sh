#!/usr/bin/env bash
# Checks what is in this folder as far as the tools that are here allow, and says what was checked
# and what was not: deploy/check.sh [--install] [--write] [--image]
#   --install  gets Helm (by Go) and kubernetes-validate (by pip) into target/tools/deploy first; with
#              --image also Buildah (by apt-get, as root)
#   --write    writes kubernetes/*.yaml anew from the chart
#   --image    builds the image without a base image, looks into it and runs it: minutes, as root
# Exit code: 0 nothing is wrong, 1 something is, 2 an option is not known.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
tools="$(cd .. && pwd)/target/tools/deploy"
helm_version=v3.21.4
kubernetes_versions=(1.28 1.33)
PATH="$tools:$PATH:/usr/local/go/bin:/usr/sbin"
export PYTHONPATH="$tools/python${PYTHONPATH:+:$PYTHONPATH}"

install=false write=false image=false
for option in "$@"; do
    case "$option" in
    --install) install=true ;;
    --write) write=true ;;
    --image) image=true ;;
    *) echo "deploy/check.sh: '$option' is not known" >&2 && exit 2 ;;
    esac
done

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
wrong=0
passed() { echo "checked: $1"; }
failed() { echo "WRONG: $1" >&2; wrong=1; }
left_out() { echo "not checked: $1"; }
# check WHAT COMMAND…
check() {
    local what="$1"
    shift
    if "$@" >"$work/output" 2>&1; then passed "$what"; else
        failed "$what"
        sed 's/^/    /' "$work/output" >&2
    fi
}

if $install; then
    mkdir -p "$tools/python"
    [[ -x "$tools/helm" ]] || GOBIN="$tools" CGO_ENABLED=0 nice go install "helm.sh/helm/v3/cmd/helm@$helm_version"
    python3 -m pip install --quiet --target "$tools/python" --upgrade kubernetes-validate
    if $image && ! command -v buildah >/dev/null && command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends buildah >/dev/null
    fi
fi

compose() {
    python3 - docker-compose.yml <<'PYTHON'
import sys, yaml
text = yaml.safe_load(open(sys.argv[1]))
services = text["services"]
assert set(services) == {"nats", "worker", "controller"}, services.keys()
for name, service in services.items():
    for volume in service.get("volumes", []):
        source = volume.split(":")[0]
        assert source.startswith((".", "/", "$")) or source in text["volumes"], (name, volume)
    for other in service.get("depends_on", {}):
        assert "healthcheck" in services[other], (name, other)
PYTHON
}

# Renders the chart: rendered FILE [OPTION…]
rendered() {
    local file="$1"
    shift
    helm template plimsoll helm/plimsoll --kube-version "${kubernetes_versions[-1]}" "$@" >"$file"
}

validate() {
    local version
    for version in "${kubernetes_versions[@]}"; do
        python3 -m kubernetes_validate --strict -k "$version" "$1" || return 1
    done
}

run_values=(--set-file run.plan=../examples/hello.yaml)
fleet_of() { rendered "$1"; }
run_of() { rendered "$1" --show-only templates/run.yaml "${run_values[@]}"; }

# The manifests for those who do not use Helm are what the chart says.
manifest() {
    local name="$1" note="# Made from the chart by deploy/check.sh --write: change that instead."
    "${name}_of" "$work/made.yaml" || return 1
    { echo "$note" && cat "$work/made.yaml"; } >"$work/$name.yaml"
    if $write; then mkdir -p kubernetes && cp "$work/$name.yaml" "kubernetes/$name.yaml"; fi
    diff "$work/$name.yaml" "kubernetes/$name.yaml"
}

# With digests no image is named by a tag; what is no digest is refused, and none where one must be.
digests() {
    local digest
    digest="sha256:$(printf '%064d' 7)"
    local given=(--set "image.digest=$digest,nats.image.digest=$digest" --set requireDigests=true)
    rendered "$work/digests.yaml" "${run_values[@]}" "${given[@]}" || return 1
    [[ "$(grep -c "image: .*@$digest" "$work/digests.yaml")" == 3 ]] || return 1
    ! grep -E 'image: ' "$work/digests.yaml" | grep -v "@$digest" || return 1
    ! rendered /dev/null --set image.digest=latest || return 1
    ! rendered /dev/null --set requireDigests=true,image.digest="$digest"
}

guarded() {
    rendered "$work/guarded.yaml" "${run_values[@]}" && python3 - "$work/guarded.yaml" <<'PYTHON'
import sys, yaml
parts = [part for part in yaml.safe_load_all(open(sys.argv[1])) if part]
of = lambda kind: [part for part in parts if part["kind"] == kind]
pods = [part["spec"]["template"] for kind in ("StatefulSet", "Deployment", "Job") for part in of(kind)]
for pod in pods:
    for container in pod["spec"]["containers"]:
        for variable in container["env"]:
            if variable["name"] == "PLIMSOLL_NATS":
                assert all(one.startswith("tls://") for one in variable["value"].split(",")), variable
        assert 8222 not in [port["containerPort"] for port in container.get("ports", [])]
    keys = [item["key"] for volume in pod["spec"]["volumes"] if "projected" in volume
            for source in volume["projected"]["sources"] for item in source["secret"]["items"]]
    assert "tls.key" not in keys and (not keys or "ca.crt" in keys), keys
for service in of("Service"):
    assert {port["port"] for port in service["spec"]["ports"]} == {4222, 6222}, service
# Each pod is one that a policy stands for, and those of NATS let in nobody but their own.
policies = of("NetworkPolicy")
def fits(selector, labels):
    own = selector.get("matchLabels", {}).items() <= labels.items()
    return own and all(labels.get(one["key"]) in one["values"] for one in selector.get("matchExpressions", []))
for pod in pods:
    labels = pod["metadata"]["labels"]
    mine = [policy["spec"] for policy in policies if fits(policy["spec"]["podSelector"], labels)]
    assert len(mine) == 1 and "Ingress" in mine[0]["policyTypes"], (labels, mine)
    is_nats = labels["app.kubernetes.io/component"] == "nats"
    ways = {rule["ports"][0]["port"]: [peer["podSelector"]["matchLabels"]["app.kubernetes.io/component"]
            for peer in rule["from"]] for rule in mine[0].get("ingress", [])}
    assert ways == ({4222: ["worker", "controller"], 6222: ["nats"]} if is_nats else {}), ways
PYTHON
}

if python3 -c 'import yaml' 2>/dev/null; then
    check "docker-compose.yml: it is YAML, its volumes and health checks are there" compose
else
    left_out "docker-compose.yml (no Python with PyYAML)"
fi
if command -v docker >/dev/null && docker compose version >/dev/null 2>&1; then
    check "docker-compose.yml: docker compose understands it" env \
        PLIMSOLL_CONTROLLER_PASSWORD=x PLIMSOLL_WORKER_PASSWORD=x docker compose -f docker-compose.yml config --quiet
else
    left_out "docker-compose.yml with docker compose (no Docker)"
fi
if command -v helm >/dev/null; then
    check "the chart: helm lint" helm lint --strict helm/plimsoll
    check "the chart refuses 2 servers" bash -c '! helm template x helm/plimsoll --kube-version 1.33 --set nats.servers=2 && helm template x helm/plimsoll --kube-version 1.33 --set nats.servers=3'
    check "kubernetes/fleet.yaml is what the chart says" manifest fleet
    check "kubernetes/run.yaml is what the chart says" manifest run
    check "the chart: one server, labels, a run's options" rendered "$work/one.yaml" "${run_values[@]}" \
        --set nats.servers=1,workers.labels.zone=a,workers.allow='{files}',run.options='{--each}'
    check "the chart: images by digest" digests
    check "the chart: NATS encrypts, its monitor has no port, network policies name who may what" guarded
    check "the chart: another NATS" rendered "$work/other.yaml" \
        --set nats.enabled=false,nats.address=tls://nats.example:4222
else
    left_out "the chart (no Helm: deploy/check.sh --install)"
fi
if python3 -c 'import kubernetes_validate' 2>/dev/null; then
    for file in kubernetes/*.yaml "$work"/{one,other,digests}.yaml; do
        [[ ! -e "$file" ]] || check "${file##*/}: the schemas of Kubernetes ${kubernetes_versions[*]}" validate "$file"
    done
else
    left_out "the manifests' schemas (no kubernetes-validate: deploy/check.sh --install)"
fi
# The configuration of the chart's three servers, as it stands in the manifest.
clustered() {
    python3 -c 'import sys, yaml
print(next(o["data"]["nats.conf"] for o in yaml.safe_load_all(sys.stdin) if o and o["kind"] == "ConfigMap"))' \
        <kubernetes/fleet.yaml >"$work/nats.conf" && ./certificates.sh "$work/tls" || return 1
    sed "s|/tls/|$work/tls/|" "$work/nats.conf" >"$work/parsed.conf"
    POD_NAME=plimsoll-nats-0 nats-server -t -c "$work/parsed.conf"
}
closed() { python3 closed.py "$work/nats.conf" "$work/tls"; }

if command -v nats-server >/dev/null && command -v openssl >/dev/null; then
    export NATS_CONTROLLER_PASSWORD='"x"' NATS_WORKER_PASSWORD='"x"'
    check "nats.conf: nats-server understands it" nats-server -t -c helm/plimsoll/nats.conf
    check "kubernetes/fleet.yaml: nats-server understands its cluster" clustered
    check "kubernetes/fleet.yaml: NATS is closed without TLS, password, and the routes' certificate" closed
else
    left_out "nats.conf (no nats-server, or no openssl)"
fi
if ! $image; then
    left_out "the image (deploy/check.sh --image builds it)"
elif ! command -v buildah >/dev/null; then
    left_out "the image (no Buildah: deploy/check.sh --image --install)"
else
    # shellcheck source=deploy/image.sh
    source ./image.sh
fi
left_out "the image's first stage and a real cluster: no registry and no Kubernetes is asked"
exit "$wrong"
