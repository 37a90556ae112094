#!/usr/bin/env bash
# Assembles Apache JMeter 5.6.3, with some plugins and a JDBC driver, from Maven Central's
# libraries in tests/jmeter/.jmeter, for the differential test. Not committed; needs Maven and a
# Java 17.
set -euo pipefail
cd "$(dirname "$0")"
home=$(cd .. && pwd)/.jmeter
if [ -f "$home/bin/ApacheJMeter.jar" ] && cmp -s pom.xml "$home/pom.xml"; then
    echo "JMeter is already there: $home"
    exit 0
fi
rm -rf "$home"
mvn -q -B -f pom.xml package -Djmeter.home="$home"
mkdir -p "$home/lib/junit"
mv "$home/config/bin" "$home/bin"
mv "$home"/lib/ext/ApacheJMeter-[0-9]*.jar "$home/bin/ApacheJMeter.jar"
mv "$home"/lib/ext/jorphan-*.jar "$home/lib/"
# JMeter looks into its jars by the order of their names: newer plugins of their own come before the old sets.
for set in standard extras extras-libs; do
    mv "$home/lib/ext/jmeter-plugins-$set-1.4.0.jar" "$home/lib/ext/z-jmeter-plugins-$set-1.4.0.jar"
done
# Jars as users hand them to --plugins, a folder for each.
mkdir -p "$home/plugins/extras" "$home/plugins/luminis" "$home/plugins/own" "$home/build/own"
cp "$home/lib/ext/z-jmeter-plugins-extras-1.4.0.jar" "$home/plugins/extras/"
cp "$home"/lib/ext/jmeter-websocket-samplers-*.jar "$home/plugins/luminis/"
javac -nowarn -cp "$home/lib/*:$home/lib/ext/*" -d "$home/build/own" ../plugins/own/*.java
cp -r ../plugins/own/META-INF "$home/build/own/"
jar --create --file "$home/plugins/own/own.jar" -C "$home/build/own" .
rm -rf "$home/config" "$home/build"
# ServerAgent has old libraries of its own.
mvn -q -B -f agent.xml dependency:copy-dependencies -DoutputDirectory="$home/agent"
cp pom.xml "$home/pom.xml" # what it was made of
echo "JMeter is in $home"
