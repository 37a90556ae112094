import { useOffers } from "../../api/offers";
import { useSession } from "../../api/session";
import { useWords } from "../../texts";
import { AuditLog } from "./AuditLog";
import { OwnPassword } from "./OwnPassword";
import { ServerSettings } from "./ServerSettings";
import { Tokens } from "./Tokens";
import { Users } from "./Users";
import { Webhooks } from "./Webhooks";

/** What is set, who may do what, and what was done. */
export default function SettingsScreen() {
  const { t } = useWords();
  const offers = useOffers();
  const { session } = useSession();
  const administers = session?.rights.includes("administer") ?? false;
  return (
    <>
      <h1>{t.settings.title}</h1>
      {offers.has("GET /settings") ? <ServerSettings readOnly={!administers} /> : null}
      {administers && offers.has("GET /webhooks") ? <Webhooks /> : null}
      {administers && session?.login ? <Users /> : null}
      {session?.login ? <Tokens /> : null}
      {session?.login && session.user !== null ? <OwnPassword /> : null}
      {administers && offers.has("GET /audit") ? <AuditLog /> : null}
    </>
  );
}
