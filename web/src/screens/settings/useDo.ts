import { App } from "antd";

/** Does something that may be refused, and says so; true: it was done. */
export function useDo(): (what: () => Promise<unknown>) => Promise<boolean> {
  const { message } = App.useApp();
  return async (what) => {
    try {
      await what();
      return true;
    } catch (error) {
      message.error(error instanceof Error ? error.message : String(error));
      return false;
    }
  };
}
