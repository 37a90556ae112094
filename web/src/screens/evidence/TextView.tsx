import { Button } from "antd";
import { useState } from "react";
import { get } from "../../api/client";
import { type Capture, viewAddress } from "../../api/evidence";
import { useJson } from "../../api/use";
import { Failed } from "../../parts/Failed";
import { Pre } from "../../parts/Pre";
import { useWords } from "../../texts";

interface CaptureText {
  text: string;
  next: string | null;
}

/** A capture's text as it was taken, part by part. */
export function TextView({ run, capture }: { run: string; capture: Capture }) {
  const { t } = useWords();
  const first = useJson<CaptureText>(viewAddress(run, capture, ""));
  const [rest, setRest] = useState<CaptureText | null>(null);
  if (first.error && !first.value) return <Failed error={first.error} again={first.again} />;
  if (!first.value) return null;
  const next = rest ? rest.next : first.value.next;
  const more = async (from_byte: string): Promise<void> => {
    const part = await get<CaptureText>(viewAddress(run, capture, "", { from_byte }));
    setRest({ text: (rest?.text ?? "") + part.text, next: part.next });
  };
  return (
    <>
      <Pre className="code captured" text={first.value.text + (rest?.text ?? "")} />
      {next === null ? null : <Button onClick={() => void more(next)}>{t.common.more}</Button>}
    </>
  );
}
