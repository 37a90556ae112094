import type { ReactNode } from "react";

/** A control with its name, and what is said of it. */
export function Field(props: {
  label: string;
  help?: string | undefined;
  wrong?: string | undefined;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
    <label className="field">
      <span>{props.label}</span>
      {props.children}
      <FieldWord help={props.help} wrong={props.wrong} />
    </label>
  );
}

/** What is wrong with a control, else what helps. */
export function FieldWord({ help, wrong }: { help?: string | undefined; wrong?: string | undefined }) {
  if (wrong) return <em className="wrong">{wrong}</em>;
  return help ? <em>{help}</em> : null;
}
