import { Input } from "antd";
import { Field } from "./Field";

interface Props {
  label: string;
  help: string;
  wrong?: string | undefined;
  /** What the button for a file is called. */
  open: string;
  value: string;
  set: (text: string) => void;
}

/** A text in YAML: typed, pasted, or from a file. */
export function YamlField({ label, help, wrong, open, value, set }: Props) {
  return (
    <>
      <Field label={label} help={help} wrong={wrong}>
        <Input.TextArea
          className="code"
          rows={14}
          value={value}
          spellCheck={false}
          status={wrong ? "error" : ""}
          onChange={(event) => set(event.target.value)}
        />
      </Field>
      <input
        type="file"
        aria-label={open}
        accept=".yaml,.yml,text/yaml"
        onChange={(event) => void event.target.files?.[0]?.text().then(set)}
      />
    </>
  );
}
