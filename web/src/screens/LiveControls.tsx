import { App, Button, Input, InputNumber, Popover, Segmented, Space } from "antd";
import { useState } from "react";
import { address, runPath, send } from "../api/client";
import { useOffers } from "../api/offers";
import { seconds } from "../format/time";
import { useWords } from "../texts";

type Act = (path: string, body?: unknown) => Promise<void>;

function useAct(id: string): Act {
  const { t } = useWords();
  const { message } = App.useApp();
  return async (path, body) => {
    try {
      await send("POST", address(runPath(id, path)), body);
      message.success(t.live.done);
    } catch (error) {
      message.error(error instanceof Error ? error.message : String(error));
    }
  };
}

/** What may be done with a run that goes on. */
export function LiveControls({ id }: { id: string }) {
  const { t } = useWords();
  const act = useAct(id);
  const offers = useOffers();
  return (
    <div className="controls" role="toolbar" aria-label={t.live.running}>
      <Popover trigger="click" content={<Stop act={act} />}>
        <Button danger type="primary">
          {t.live.stop}
        </Button>
      </Popover>
      <Popover trigger="click" content={<Extend act={act} />}>
        <Button>{t.live.extend}</Button>
      </Popover>
      <Popover trigger="click" content={<Load act={act} />}>
        <Button>{t.live.changeLoad}</Button>
      </Popover>
      {offers.has("POST /runs/{id}/capture") ? (
        <Button onClick={() => void act("/capture")}>{t.live.capture}</Button>
      ) : null}
    </div>
  );
}

function Stop({ act }: { act: Act }) {
  const { t } = useWords();
  return (
    <Space direction="vertical">
      <Button block onClick={() => void act("/stop", { how: "graceful" })}>
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

function Load({ act }: { act: Act }) {
  const { t } = useWords();
  const [kind, setKind] = useState<"users" | "rate">("users");
  const [value, setValue] = useState<number | null>(10);
  return (
    <form
      className="inline"
      onSubmit={(event) => {
        event.preventDefault();
        if (value !== null) void act("/load", { [kind]: kind === "rate" ? `${value}/s` : value });
      }}
    >
      <Segmented<"users" | "rate">
        value={kind}
        onChange={setKind}
        options={[
          { value: "users", label: t.live.users },
          { value: "rate", label: t.live.rate },
        ]}
      />
      <InputNumber
        aria-label={kind === "users" ? t.live.users : t.live.rate}
        min={0}
        value={value}
        onChange={setValue}
      />
      <Button type="primary" htmlType="submit" disabled={value === null}>
        {t.live.apply}
      </Button>
    </form>
  );
}
