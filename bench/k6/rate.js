// An open model of RATE arrivals a second for SECONDS, with at most USERS users.
import http from 'k6/http';

export const options = {
  scenarios: {
    rate: {
      executor: 'constant-arrival-rate',
      rate: Number(__ENV.RATE),
      timeUnit: '1s',
      duration: `${__ENV.SECONDS}s`,
      preAllocatedVUs: Number(__ENV.USERS),
      maxVUs: Number(__ENV.USERS),
    },
  },
};

export default function () {
  http.get(__ENV.URL);
}
