import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { markStyles } from "./app/nonce";
import "./page.css";
import "./parts/parts.css";
import "./screens/screens.css";

markStyles();
const root = document.getElementById("root");
if (root) createRoot(root).render(<App />);
