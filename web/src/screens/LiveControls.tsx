import { App, Button, Input, Popover, Space } from "antd";
import { useState } from "react";
import { address, runPath, send } from "../api/client";
import { useOffers } from "../api/offers";
import { useMay } from "../api/session";
import { seconds } from "../format/time";
import { useWords } from "../texts";
import { LoadForm } from "./LoadForm";
import { type Act, useAct } from "./useAct";

interface CapturesNow {
  items: { kind: string }[];
  troubles: string[];
}

/** What may be done with a run that goes on. */
export function LiveControls({ id, users }: { id: string; users: number | null }) {
  const { t } = useWords();
  const act = useAct(id);
  const offers = useOffers();
  if (!useMay("run")) return null;
  return (
    <div className="controls" role="toolbar" aria-label={t.live.running}>
      <Popover trigger="click" destroyOnHidden content={<Stop act={act} />}>
        <Button danger type="primary">
          {t.live.stop}
        </Button>
      </Popover>
      <Popover trigger="click" destroyOnHidden content={<Extend act={act} />}>
        <Button>{t.live.extend}</Button>
      </Popover>
      <Popover trigger="click" destroyOnHidden content={<LoadForm id={id} act={act} users={users} />}>
        <Button>{t.live.changeLoad}</Button>
      </Popover>
      {offers.has("POST /runs/{id}/capture") ? <CaptureButton id={id} /> : null}
    </div>
  );
}

/** Takes captures now, and says which came of it; what could not be taken is said too. */
function CaptureButton({ id }: { id: string }) {
  const { t } = useWords();
  const { message } = App.useApp();
  const [busy, setBusy] = useState(false);
  const take = async (): Promise<void> => {
    setBusy(true);
    try {
      const taken = await send<CapturesNow>("POST", address(runPath(id, "/capture")), {});
      const names = (taken?.items ?? []).map(({ kind }) => t.evidence.captures[kind] ?? kind);
      if (names.length > 0) message.success(t.live.captured([...new Set(names)].join(", ")));
      for (const trouble of taken?.troubles ?? []) message.warning(trouble);
    } catch (error) {
      message.error(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };
  return (
    <Button loading={busy} onClick={() => void take()}>
      {t.live.capture}
    </Button>
  );
}

function Stop({ act }: { act: Act }) {
  const { t } = useWords();
  return (
    <Space direction="vertical">
      <Button autoFocus block onClick={() => void act("/stop", { how: "graceful" })}>
        {t.live.stopGracefully}
      </Button>
      <span className="muted">{t.live.stopGracefullyHint}</span>
      <Button block danger onClick={() => void act("/stop", { how: "at_once" })}>
        {t.live.stopAtOnce}
      </Button>
      <span className="muted">{t.live.stopAtOnceHint}</span>
    </Space>
  );
}

function Extend({ act }: { act: Act }) {
  const { t } = useWords();
  const [text, setText] = useState("1m");
  const by = seconds(text);
  return (
    <form
      className="inline"
      onSubmit={(event) => {
        event.preventDefault();
        if (by) void act("/extend", { by_s: by });
      }}
    >
      <Input
        autoFocus
        aria-label={t.live.extendBy}
        value={text}
        status={by ? "" : "error"}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="primary" htmlType="submit" disabled={!by}>
        {t.live.apply}
      </Button>
    </form>
  );
}
