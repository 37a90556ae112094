import { FluentBundle, FluentResource } from "@fluent/bundle";

/** The words of the reports, from locales/: one place says what a verdict or an error means. */
export type Say = (id: string, values?: Record<string, string | number>) => string;

export function sayer(language: string, sources: string[]): Say {
  const bundle = new FluentBundle(language, { useIsolating: false });
  for (const source of sources) bundle.addResource(new FluentResource(source));
  return (id, values) => {
    const message = bundle.getMessage(id);
    return message?.value ? bundle.formatPattern(message.value, values) : id;
  };
}
