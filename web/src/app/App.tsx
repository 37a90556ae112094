import { App as AntApp, ConfigProvider, theme as themes } from "antd";
import enUS from "antd/locale/en_US";
import zhCN from "antd/locale/zh_CN";
import { useEffect, useMemo, useState } from "react";
import { speak } from "../api/client";
import { type Language, loadWords, type Words, WordsContext } from "../texts";
import { NONCE } from "./nonce";
import { SessionGate } from "./SessionGate";
import { firstLanguage, firstTheme, remember, type Settings, SettingsContext, type Theme } from "./settings";

const FONT =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif';

const TOKENS = {
  light: {
    colorPrimary: "#0f5c8c",
    colorError: "#b3261e",
    colorBgLayout: "#f5f6f8",
    colorText: "#1b2430",
    colorTextSecondary: "#5b6775",
    colorTextDescription: "#5b6775",
    colorTextPlaceholder: "#6b7683",
  },
  dark: {
    colorPrimary: "#4fa3d9",
    colorError: "#f28b82",
    colorBgLayout: "#12161b",
    colorBgContainer: "#1b2128",
    colorBgElevated: "#232a33",
    colorText: "#e6eaef",
    colorTextPlaceholder: "#98a3b0",
  },
};

/** What the system is set to prefer, such as (prefers-color-scheme: dark). */
function usePreferred(what: string): boolean {
  const query = useMemo(() => window.matchMedia(what), [what]);
  const [matches, setMatches] = useState(query.matches);
  useEffect(() => {
    const heard = (event: MediaQueryListEvent): void => setMatches(event.matches);
    query.addEventListener("change", heard);
    return () => query.removeEventListener("change", heard);
  }, [query]);
  return matches;
}

function useSettingsState(): Settings {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  const [theme, setTheme] = useState<Theme>(firstTheme);
  const system = usePreferred("(prefers-color-scheme: dark)");
  const dark = theme === "system" ? system : theme === "dark";
  // Before anything draws: charts take their colours from the page.
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  return {
    language,
    theme,
    dark,
    setLanguage: (chosen) => {
      remember("language", chosen);
      setLanguage(chosen);
    },
    setTheme: (chosen) => {
      remember("theme", chosen);
      setTheme(chosen);
    },
  };
}

export function App() {
  const settings = useSettingsState();
  const [words, setWords] = useState<Words | null>(null);
  const still = usePreferred("(prefers-reduced-motion: reduce)");
  useEffect(() => {
    let current = true;
    loadWords(settings.language).then((loaded) => {
      if (!current) return;
      document.documentElement.lang = settings.language === "zh" ? "zh-CN" : "en";
      speak(settings.language === "zh" ? "zh-CN" : "en");
      setWords(loaded);
    });
    return () => {
      current = false;
    };
  }, [settings.language]);
  if (!words) return null;
  const colours = settings.dark ? TOKENS.dark : TOKENS.light;
  // A motion that the browser does not show never ends: the icon of a button that waits would stay.
  // A link is as easy to read under the pointer as elsewhere.
  const links = { colorLinkHover: colours.colorPrimary, colorLinkActive: colours.colorPrimary };
  const token = { fontFamily: FONT, borderRadius: 6, motion: !still, ...colours, ...links };
  return (
    <ConfigProvider
      csp={{ nonce: NONCE }}
      locale={words.language === "zh" ? zhCN : enUS}
      button={{ autoInsertSpace: false }}
      theme={{
        algorithm: settings.dark ? themes.darkAlgorithm : themes.defaultAlgorithm,
        token,
        components: {
          Button: {
            primaryColor: settings.dark ? "#0b1620" : "#ffffff",
            dangerColor: settings.dark ? "#0b1620" : "#ffffff",
          },
        },
        cssVar: true,
      }}
    >
      <SettingsContext.Provider value={settings}>
        <WordsContext.Provider value={words}>
          <AntApp>
            <SessionGate key={words.language} />
          </AntApp>
        </WordsContext.Provider>
      </SettingsContext.Provider>
    </ConfigProvider>
  );
}
