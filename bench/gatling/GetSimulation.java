import static io.gatling.javaapi.core.CoreDsl.*;
import static io.gatling.javaapi.http.HttpDsl.*;

import io.gatling.javaapi.core.ScenarioBuilder;
import io.gatling.javaapi.core.Simulation;
import io.gatling.javaapi.http.HttpProtocolBuilder;

/** GET in a loop over keep-alive; system properties: url, users, seconds. */
public class GetSimulation extends Simulation {
  private final int seconds = Integer.getInteger("seconds", 2);
  private final HttpProtocolBuilder protocol = http.disableFollowRedirect().disableCaching().disableWarmUp();
  private final ScenarioBuilder get =
      scenario("get").during(seconds).on(exec(http("get").get(System.getProperty("url"))));

  {
    setUp(get.injectOpen(atOnceUsers(Integer.getInteger("users", 64)))).protocols(protocol);
  }
}
