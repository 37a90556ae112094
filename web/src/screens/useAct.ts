import { App } from "antd";
import { address, runPath, send } from "../api/client";
import { useWords } from "../texts";

/** Asks for a change of a run below its path, and says what came of it. */
export type Act = (path: string, body?: unknown) => Promise<void>;

export function useAct(id: string): Act {
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
