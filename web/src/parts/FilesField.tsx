import { Button, Input } from "antd";
import { figure } from "../format/number";
import { useWords } from "../texts";
import type { SentFile } from "./order";

/** The bytes of a file in base64. */
function read(file: File): Promise<SentFile> {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onerror = () => failed(reader.error);
    // data:TYPE;base64,BYTES
    reader.onload = () => done({ name: file.name, base64: String(reader.result).split(",", 2)[1] ?? "" });
    reader.readAsDataURL(file);
  });
}

/** The files that a plan reads, by the names that it has for them; a name that comes again is the newer file's. */
export function FilesField({ files, set }: { files: SentFile[]; set: (files: SentFile[]) => void }) {
  const { t } = useWords();
  const add = async (chosen: FileList | null): Promise<void> => {
    const added = await Promise.all(Array.from(chosen ?? [], read));
    const names = new Set(added.map((file) => file.name));
    set([...files.filter((file) => !names.has(file.name)), ...added]);
  };
  return (
    <div className="field files">
      <span>{t.start.files}</span>
      <input type="file" multiple aria-label={t.start.files} onChange={(event) => void add(event.target.files)} />
      <em>{t.start.filesHelp}</em>
      {files.map((file, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: its name is what is typed
        <div className="row" key={at}>
          <Input
            aria-label={t.start.fileName}
            value={file.name}
            onChange={(event) => set(files.map((one, i) => (i === at ? { ...one, name: event.target.value } : one)))}
          />
          <span className="muted">{figure((file.base64.length * 3) / 4 / 1024)} KiB</span>
          <Button onClick={() => set(files.filter((_, i) => i !== at))}>{t.start.fileAway}</Button>
        </div>
      ))}
    </div>
  );
}
