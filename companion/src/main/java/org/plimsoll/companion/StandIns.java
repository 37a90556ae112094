package org.plimsoll.companion;

import java.util.function.Consumer;
import org.apache.jmeter.control.LoopController;
import org.apache.jmeter.engine.StandardJMeterEngine;
import org.apache.jmeter.threads.JMeterThread;
import org.apache.jmeter.threads.JMeterThreadMonitor;
import org.apache.jmeter.threads.ListenerNotifier;
import org.apache.jmeter.threads.ThreadGroup;
import org.apache.jorphan.collections.ListedHashTree;

/** What scripts find where JMeter has its engine, its thread groups and its threads. */
final class StandIns {
    private StandIns() {}

    /** Passes on what scripts ask JMeter's engine. */
    static final class Run extends StandardJMeterEngine {
        private final Consumer<Action> asked;

        Run(Consumer<Action> asked) {
            this.asked = asked;
        }

        @Override
        public synchronized void stopTest() {
            asked.accept(Action.STOP_RUN_NOW);
        }

        @Override
        public synchronized void stopTest(boolean now) {
            asked.accept(now ? Action.STOP_RUN_NOW : Action.STOP_RUN);
        }

        @Override
        public void askThreadsToStop() {
            asked.accept(Action.STOP_RUN);
        }

        @Override
        public boolean isActive() {
            return true;
        }
    }

    /** Tells how many users there are. */
    static final class Group extends ThreadGroup {
        private static final long serialVersionUID = 1L;

        private volatile int atWork;

        Group(String name, int planned) {
            setName(name);
            setNumThreads(planned);
        }

        void setAtWork(int atWork) {
            this.atWork = atWork;
        }

        @Override
        public int getNumberOfThreads() {
            return atWork;
        }

        @Override
        public int numberOfActiveThreads() {
            return atWork;
        }
    }

    /** Passes on what scripts ask their thread. */
    static final class Member extends JMeterThread {
        private final Consumer<Action> asked;

        Member(String name, int number, Group group, Run run, Consumer<Action> asked) {
            super(tree(), NOBODY, new ListenerNotifier());
            this.asked = asked;
            setThreadName(name);
            setThreadNum(number);
            setThreadGroup(group);
            setEngine(run);
        }

        private static ListedHashTree tree() {
            ListedHashTree tree = new ListedHashTree();
            tree.add(new LoopController());
            return tree;
        }

        @Override
        public void stop() {
            asked.accept(Action.STOP_USER);
        }
    }

    private static final JMeterThreadMonitor NOBODY = thread -> { };
}
