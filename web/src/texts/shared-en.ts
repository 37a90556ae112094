import errors from "../../../locales/en/errors.ftl?raw";
import report from "../../../locales/en/report.ftl?raw";

export const sources: string[] = [errors, report];
