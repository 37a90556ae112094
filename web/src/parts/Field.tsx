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
      {props.wrong ? <em className="wrong">{props.wrong}</em> : props.help ? <em>{props.help}</em> : null}
    </label>
  );
}
