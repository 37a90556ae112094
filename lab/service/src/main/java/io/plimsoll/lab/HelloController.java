package io.plimsoll.lab;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Field case F01: a handler that holds its worker thread for a while and uses no CPU. */
@RestController
class HelloController {

    private final long defaultSleepMs;

    HelloController(LabProperties properties) {
        this.defaultSleepMs = properties.hello().sleepMs();
    }

    @GetMapping(path = "/hello", produces = MediaType.TEXT_PLAIN_VALUE)
    String hello(@RequestParam(name = "sleep", required = false) Long sleep) throws InterruptedException {
        long sleepMs = sleep == null
                ? defaultSleepMs
                : Limits.require("sleep", sleep, 0, Limits.MAX_DELAY_MS);
        if (sleepMs > 0) {
            Thread.sleep(sleepMs);
        }
        return "Hello after " + sleepMs + " ms\n";
    }
}
