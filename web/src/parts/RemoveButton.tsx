import { App, Button } from "antd";
import { useWords } from "../texts";

interface Props {
  /** What is asked: it names what is taken away. */
  ask: string;
  /** What becomes of it. */
  effect: string;
  remove: () => void;
}

/** Takes something away that cannot be had back, once that was confirmed. */
export function RemoveButton({ ask, effect, remove }: Props) {
  const { t } = useWords();
  const { modal } = App.useApp();
  const confirm = (): void => {
    modal.confirm({
      title: <bdi>{ask}</bdi>,
      content: effect,
      okText: t.settings.remove,
      okButtonProps: { danger: true },
      cancelText: t.common.cancel,
      // Who presses Enter without reading takes nothing away.
      autoFocusButton: "cancel",
      onOk: remove,
    });
  };
  return (
    <Button danger size="small" onClick={confirm}>
      {t.settings.remove}
    </Button>
  );
}
