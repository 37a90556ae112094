import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { tellWhole } from "./app/cut";
import { markStyles } from "./app/nonce";
import "./page.css";
import "./parts/parts.css";
import "./screens/screens.css";
import "./parts/cut.css";

markStyles();
tellWhole();
const root = document.getElementById("root");
if (root) createRoot(root).render(<App />);
