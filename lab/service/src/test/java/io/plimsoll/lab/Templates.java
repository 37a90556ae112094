package io.plimsoll.lab;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Fills and compiles the templates of lab/faults, each into a package named after its file. */
final class Templates {

    private static final Path FOLDER = Path.of("..", "faults");
    private static final String SUFFIX = ".java.tmpl";

    private Templates() {}

    static List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(SUFFIX))
                    .map(name -> name.substring(0, name.length() - SUFFIX.length()))
                    .sorted()
                    .toList();
        }
    }

    static String packageOf(String template) {
        return "com.northwind." + template.replace("_", "");
    }

    /** The name of {@code {{Class}}}; beans of one context must not share a name. */
    static String classOf(String template) {
        return "Store" + template.replace("_", "");
    }

    static String fill(String template) throws IOException {
        String text = Files.readString(FOLDER.resolve(template + SUFFIX));
        for (Map.Entry<String, String> name : Map.of(
                "package", packageOf(template),
                "Class", classOf(template),
                "Other", "Desk" + template.replace("_", ""),
                "method", "priceOf",
                "path", "/" + template,
                "noun", "price",
                "table", "purchase",
                "rows", "1000").entrySet()) {
            text = text.replace("{{" + name.getKey() + "}}", name.getValue());
        }
        return text;
    }

    /** Compiles them all; returns what javac says, which is nothing if all is well. */
    static String compile(List<String> templates, Path sources, Path classes) throws IOException {
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files = javac.getStandardFileManager(null, null, null)) {
            List<Path> written = new ArrayList<>();
            for (String template : templates) {
                Path folder = Files.createDirectories(sources.resolve(packageOf(template).replace('.', '/')));
                written.add(Files.writeString(folder.resolve(classOf(template) + ".java"), fill(template)));
            }
            List<String> options = List.of("-d", classes.toString(), "-Xlint:all,-processing", "-proc:none",
                    "-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
            javac.getTask(said, files, null, options, null, files.getJavaFileObjectsFromPaths(written)).call();
        } catch (UncheckedIOException problem) {
            throw problem.getCause();
        }
        return said.toString();
    }
}
