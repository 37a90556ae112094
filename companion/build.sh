#!/usr/bin/env bash
# Builds the JVM companion and brings its libraries from Maven Central: target/companion, beside
# the folder of the binary, which looks for it there. Jars that somebody put into its lib/ext and
# lib/junit stay.
# usage: companion/build.sh [DIR]
set -euo pipefail
cd "$(dirname "$0")/.."
home=${1:-target/companion}

if [ -f "$home/companion.jar" ] &&
    [ -z "$(find companion -type f -newer "$home/companion.jar" ! -name '*.md' -print -quit)" ]; then
    echo "$home is up to date"
    exit 0
fi
command -v mvn >/dev/null 2>&1 || {
    echo "companion/build.sh: Maven and a JDK 17 or newer are needed: tools/setup.sh lab" >&2
    exit 2
}
mkdir -p "$(dirname "$home")"
fresh="$(cd "$(dirname "$home")" && pwd)/.companion-$$"
trap 'rm -rf "$fresh" "$fresh-build"' EXIT
mvn -q -B -f companion/pom.xml package -Dcompanion.home="$fresh" \
    ${SOURCE_DATE_EPOCH:+-Dproject.build.outputTimestamp="$SOURCE_DATE_EPOCH"}
for folder in lib/ext lib/junit; do
    if [ -d "$home/$folder" ]; then
        find "$home/$folder" -name '*.jar' -exec cp -p {} "$fresh/$folder/" \;
    fi
done
rm -rf "$home"
mv "$fresh" "$home"
touch "$home/companion.jar"

# The JVM starts in half the time with an archive of the classes that a start loads. It only
# holds for this JVM and this folder; another goes without.
home=$(cd "$home" && pwd -P)
java=${PLIMSOLL_JVM_HOME:-${JAVA_HOME:-}}
java=${java:+$java/bin/}java
"$java" -XX:ArchiveClassesAtExit="$home/companion.jsa" -Xlog:disable \
    -Djava.awt.headless=true -Dlog4j2.disable.jmx=true \
    -Dlog4j2.configurationFile="$home/log4j2.properties" \
    -cp "$home/companion.jar:$home/lib/*" org.plimsoll.companion.Main "$home" >/dev/null 2>&1 ||
    rm -f "$home/companion.jsa"
echo "built $home ($(du -sh "$home" | cut -f1))"
