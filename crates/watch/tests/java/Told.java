import jdk.jfr.Event;
import jdk.jfr.Name;

/** Tells its recording what it should not know, in events of its own, and computes a while. */
class Told {
    @Name("shop.Login")
    static class Login extends Event {
        String user;
        String password;
        String note;
    }

    public static void main(String[] args) {
        for (String secret : new String[] {"pw-short", "pw-as-long-as-go-to-the-pool", "pw-\u4e2d\u6587"}) {
            for (int again = 0; again < 3; again++) {
                Login login = new Login();
                login.user = "joe";
                login.password = secret;
                login.note = "sent Authorization: Bearer tok-4711-in-a-note to the shop";
                login.commit();
            }
        }
        long until = System.nanoTime() + 700_000_000L;
        double sum = 0;
        while (System.nanoTime() < until) {
            sum += compute(sum);
        }
        System.out.println(sum);
    }

    static double compute(double sum) {
        for (int i = 1; i < 10_000; i++) {
            sum += Math.sqrt(i) / (sum + 1);
        }
        return sum;
    }
}
