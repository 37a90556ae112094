import errors from "../../../locales/zh/errors.ftl?raw";
import report from "../../../locales/zh/report.ftl?raw";

export const sources: string[] = [errors, report];
