#!/usr/bin/env bash
# Brings the jars of the marks [plugins NAME], as users hand them to --plugins, from Maven Central into
# tests/jmeter/.jmeter/plugins, for the differential test without JMeter beside it; the one of our own is compiled
# with the companion's libraries. Not committed; needs Maven and a JDK 17.
# usage: tests/jmeter/peer/jars.sh [COMPANION]
set -euo pipefail
companion=$(cd "${1:-target/companion}" && pwd)
cd "$(dirname "$0")/.."
home=$PWD/.jmeter/plugins
[ -f "$home/own/own.jar" ] && [ -d "$home/redis" ] && exit 0

bring() { # NAME GROUP:ARTIFACT:VERSION
    mvn -q -B -Dstyle.color=never dependency:copy -Dartifact="$2" -DoutputDirectory="$home/$1"
}
bring extras kg.apc:jmeter-plugins-extras:1.4.0
bring luminis net.luminis.jmeter:jmeter-websocket-samplers:1.3.1
bring prometheus com.github.johrstrom:jmeter-prometheus-plugin:0.6.0
bring redis kg.apc:jmeter-plugins-redis:0.2
bring redis redis.clients:jedis:2.2.1
bring redis commons-pool:commons-pool:1.6
bring xml kg.apc:jmeter-plugins-xml:0.1
classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
javac -nowarn -cp "$companion/lib/*" -d "$classes" plugins/own/*.java
cp -r plugins/own/META-INF "$classes/"
mkdir -p "$home/own"
jar --create --file "$home/own/own.jar" -C "$classes" .
